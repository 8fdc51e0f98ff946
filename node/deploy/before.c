#include "node/deploy/before.h"

#include "node/deploy/facts.h"

/* Milliseconds. A stop lets running calls end. */
#define STOP_TIMEOUT 60000
#define OTHER_TIMEOUT 30000

static bool record(struct journal *journal, const char *name, const char *value, struct error *error)
{
    return journal_fact(journal, name) || journal_set_fact(journal, name, value, error);
}

bool unit_before_record(struct journal *journal, const struct systemd_unit *unit, const char *enabled_fact,
                        const char *active_fact, struct error *error)
{
    return record(journal, enabled_fact, unit->loaded ? unit->enabled : FACT_ABSENT, error) &&
           record(journal, active_fact, unit->loaded ? unit->active : FACT_ABSENT, error);
}

bool unit_before_stop(const char *unit, const char *enabled, const char *active, struct arena *arena, struct error *error)
{
    struct systemd_unit now;
    if (!enabled || !active) {
        return true;
    }
    if (!systemd_show(unit, arena, &now, error)) {
        return false;
    }
    bool stops = now.loaded && !systemd_state_is(active, "active") && !systemd_state_is(active, "activating");
    bool disables = now.loaded && !systemd_state_is(enabled, "enabled") && systemd_state_is(now.enabled, "enabled");
    if (stops && !systemd_do("stop", unit, STOP_TIMEOUT, error)) {
        return false;
    }
    if (stops) {
        systemd_do("reset-failed", unit, OTHER_TIMEOUT, NULL);
    }
    return (!disables || systemd_do("disable", unit, OTHER_TIMEOUT, error));
}
