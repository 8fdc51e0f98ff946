#include "core/gateway/takeover.h"

#include <sys/mman.h>

#include "base/log/log.h"
#include "base/system/descriptor.h"
#include "core/hooks/handover.h"
#include "core/knowledge/place.h"
#include "core/knowledge/resume.h"
#include "core/knowledge/save.h"

void gateway_lend(struct gateway *gateway)
{
    knowledge_lend(&gateway->knowledge);
    if (gateway->hooks.handover.role == HANDOVER_TAKES) { /* the process before may still write there */
        handover_read(&gateway->hooks, gateway->generation);
        handover_end(&gateway->hooks);
        descriptor_close(&gateway->handover);
    }
    if (gateway->generation->map->hooks.on && gateway->handover < 0) {
        gateway->handover = memfd_create("crigate-handover", MFD_CLOEXEC);
    }
    hooks_lend(&gateway->hooks, gateway->generation);
    handover_give(&gateway->hooks, gateway->generation, gateway->handover);
    if (gateway->generation->map->hooks.on && gateway->hooks.handover.role != HANDOVER_GIVES) {
        log_line(LOG_SERIOUS, "cannot hand over the pod data for plugins, which the next process will read from the runtimes: "
                              "memory or file descriptors are running out");
    }
}

static void end_giving(struct gateway *gateway)
{
    handover_end(&gateway->hooks);
    descriptor_close(&gateway->handover);
}

void gateway_take_back(struct gateway *gateway)
{
    end_giving(gateway);
    knowledge_take_back(&gateway->knowledge);
    hooks_take_back(&gateway->hooks, gateway->generation);
}

void gateway_hand_over_hooks(struct gateway *gateway)
{
    hooks_hand_over(&gateway->hooks);
}

void gateway_successor_lost(struct gateway *gateway)
{
    end_giving(gateway);
    hooks_successor_lost(&gateway->hooks, gateway->generation);
}

void gateway_successor_has_all(struct gateway *gateway)
{
    hooks_successor_has_all(&gateway->hooks);
}

/* The memory names runtimes by where they are. */
void gateway_take_memory(struct gateway *gateway)
{
    const struct generation *generation = gateway->generation;
    for (size_t i = 0; i < generation->map->runtime_count; i++) {
        place_recall(&gateway->knowledge, generation->map, generation->runtimes[i]);
    }
    handover_take(&gateway->hooks, gateway->generation, gateway->handover);
}

void gateway_take_part(struct gateway *gateway)
{
    handover_read(&gateway->hooks, gateway->generation);
    knowledge_take_part(&gateway->knowledge);
    hooks_take_part(&gateway->hooks, gateway->generation);
}

void gateway_predecessor_drained(struct gateway *gateway)
{
    knowledge_predecessor_drained(&gateway->knowledge);
    handover_read(&gateway->hooks, gateway->generation); /* and later again: what it stops may take longer */
}
