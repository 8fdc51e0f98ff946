/* What one runtime accepts in requests but ignores: found when it becomes ready, from its name and version, and from the features
   that it reports. Nothing happens for each call. */
#pragma once

#include "core/loop/worker.h"
#include "core/runtimes/probe.h"
#include "translate/abilities/abilities.h"
#include "translate/walk/report.h"

struct query;

struct abilities {
    struct ability_set set; /* changes only when the runtime becomes ready, and when it then answers Status */
    struct worker *worker;
    struct channel *channel;
    enum dialect dialect;
    struct query *status;      /* while Status is asked */
    struct timer status_again; /* after it was not answered */
    bool logged[TRANSLATION_RULE_COUNT];
    uint64_t unsure_logged; /* entries */
};

/* Both must outlive it. */
void abilities_init(struct abilities *abilities, struct worker *worker, struct channel *channel);

/* The runtime has answered Version. Its set is made from that. Only if an entry of the set names a feature that Status of its
   dialect could report, Status is asked once, and again until it is answered. The runtime is ready meanwhile, and is judged by
   what the same version reported before, or as if it reported nothing. Answers to Status that pass for callers are not read:
   features change only with a restart of the runtime, after which it becomes ready again. `other`: it is not the version that
   answered last time, so what it ignores is logged again, and first, if its version cannot be read, that the strictest judgement
   holds. `runtime` is its name. */
void abilities_find(struct abilities *abilities, const char *runtime, const struct probe_result *result, bool other);

/* Stops asking: the connection has ended, or the runtime is given up. The set stays. */
void abilities_stop(struct abilities *abilities);

/* Logs each field of a request that the runtime of that name ignores, or may ignore, unless it was logged for this version. */
void abilities_log(struct abilities *abilities, const char *runtime, const struct report *report);
