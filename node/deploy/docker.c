#include "node/deploy/docker.h"

#include "base/system/clock.h"
#include "base/system/interrupt.h"
#include "node/deploy/before.h"
#include "node/deploy/facts.h"
#include "node/preflight/runtime_found.h"

/* Milliseconds. cri-dockerd asks Docker before it is ready. */
#define START_TIMEOUT 120000
#define STOP_TIMEOUT 60000
#define OTHER_TIMEOUT 30000
#define ASK_TIMEOUT 5000
#define BETWEEN_LOOKS 500

#define LOOK_MEMORY ((size_t)4 << 20)

bool docker_unit_start(struct journal *journal, struct error *error)
{
    struct systemd_unit shown;
    struct arena *arena = arena_new(LOOK_MEMORY);
    bool started = arena ? systemd_do("daemon-reload", NULL, OTHER_TIMEOUT, error) &&
                               systemd_show(DOCKER_SHIM_UNIT, arena, &shown, error) &&
                               unit_before_record(journal, &shown, FACT_DOCKER_ENABLED, FACT_DOCKER_ACTIVE, error) &&
                               systemd_do("enable", DOCKER_SHIM_UNIT, OTHER_TIMEOUT, error) &&
                               systemd_do("restart", DOCKER_SHIM_UNIT, START_TIMEOUT + STOP_TIMEOUT, error)
                         : error_out_of_memory(error);
    arena_unref(arena);
    return started;
}

static bool answers(struct error *error)
{
    struct arena *arena = arena_new(LOOK_MEMORY);
    struct runtime_found found = {.name = DOCKER_SHIM_RUNTIME};
    if (arena) {
        runtime_ask(DOCKER_SHIM_ENDPOINT, ASK_TIMEOUT, arena, &found);
    }
    if (!found.answers) {
        error_set(error, STATUS_UNAVAILABLE, "%s", found.why_not ? found.why_not : "it does not answer");
    }
    arena_unref(arena);
    return found.answers;
}

bool docker_unit_wait(unsigned timeout, struct error *error)
{
    struct error missing = {0};
    int64_t end = clock_ms() + timeout;
    while (!answers(&missing)) {
        if (!interrupt_sleep(BETWEEN_LOOKS)) {
            return error_set(error, STATUS_CANCELLED, "%s", interrupt_seen());
        }
        if (clock_ms() >= end) {
            return error_set(error, STATUS_DEADLINE_EXCEEDED,
                             DOCKER_SHIM_UNIT " does not answer at " DOCKER_SHIM_ENDPOINT " after %u s: %s", timeout / 1000,
                             missing.message);
        }
    }
    return true;
}

bool docker_unit_stop(const struct journal *journal, struct error *error)
{
    struct arena *arena = arena_new(LOOK_MEMORY);
    bool stopped = arena ? unit_before_stop(DOCKER_SHIM_UNIT, journal_fact(journal, FACT_DOCKER_ENABLED),
                                            journal_fact(journal, FACT_DOCKER_ACTIVE), arena, error)
                         : error_out_of_memory(error);
    arena_unref(arena);
    return stopped;
}

bool docker_unit_resume(const struct journal *journal, struct error *error)
{
    bool ran = systemd_state_is(journal_fact(journal, FACT_DOCKER_ACTIVE), "active");
    return !ran || systemd_do("restart", DOCKER_SHIM_UNIT, START_TIMEOUT + STOP_TIMEOUT, error);
}
