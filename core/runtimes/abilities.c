#include "core/runtimes/abilities.h"

#include <string.h>

#include "base/log/log.h"
#include "core/transport/query.h"
#include "translate/walk/text_table.h"

#define STATUS_TIMEOUT_MS 5000
#define STATUS_AGAIN_MS 10000

static void ask_status(struct abilities *abilities);

static void on_status_again(struct completion *completion, bool ok)
{
    (void)ok;
    ask_status(completion_owner(completion, struct abilities, status_again));
}

void abilities_init(struct abilities *abilities, struct worker *worker, struct channel *channel)
{
    *abilities = (struct abilities){.worker = worker, .channel = channel, .status_again.completion.run = on_status_again};
}

static void on_status(void *state, const struct error *error, struct bytes answer)
{
    struct abilities *abilities = state;
    abilities->status = NULL;
    if (error->code != STATUS_OK) {
        worker_arm(abilities->worker, &abilities->status_again, STATUS_AGAIN_MS);
        return;
    }
    ability_set_learn(&abilities->set, dialects[abilities->dialect].caller, answer);
}

/* An empty request: no verbose state is wanted. */
static void ask_status(struct abilities *abilities)
{
    const char *path = method_by_name("Status")->in[abilities->dialect].path;
    abilities->status = query_start(abilities->channel, path, bytes_of_string(""), STATUS_TIMEOUT_MS, on_status, abilities);
    if (!abilities->status) {
        worker_arm(abilities->worker, &abilities->status_again, STATUS_AGAIN_MS);
    }
}

void abilities_find(struct abilities *abilities, const char *runtime, const struct probe_result *result, bool other)
{
    abilities_stop(abilities);
    if (other || abilities->dialect != result->dialect) {
        ability_set_make(&abilities->set, result->name, result->version, result->dialect);
        memset(abilities->logged, 0, sizeof abilities->logged);
        abilities->unsure_logged = 0;
        if (abilities->set.unread) {
            log_line(LOG_SERIOUS,
                     "runtime %s: the version of %s cannot be read: fields that any of its releases ignores count as ignored, "
                     "and are refused if they confine; if it honours a field, set \"translation: {lenient: [FIELD]}\" for it",
                     runtime, abilities->set.runtime->name);
        }
    }
    abilities->dialect = result->dialect;
    if (ability_set_is_reported(&abilities->set, dialects[result->dialect].caller)) {
        ask_status(abilities);
    }
}

void abilities_stop(struct abilities *abilities)
{
    worker_disarm(abilities->worker, &abilities->status_again);
    if (abilities->status) {
        query_cancel(abilities->status);
        abilities->status = NULL;
    }
}

/* Why the runtime ignores it: of the first entry of the set about that field. */
static const char *why_of(const struct ability_set *set, size_t rule)
{
    for (uint8_t i = 0; i < ability_entry_count; i++) {
        if ((set->entries >> i & 1U) && ability_entries[i].rule == rule) {
            return ability_entries[i].why;
        }
    }
    return translation_rules[rule].why;
}

void abilities_log(struct abilities *abilities, const char *runtime, const struct report *report)
{
    for (uint8_t i = 0; i < ability_entry_count; i++) {
        if ((report->unsure & ~abilities->unsure_logged) >> i & 1U) {
            const struct ability *ability = &ability_entries[i];
            log_line(LOG_SERIOUS,
                     "runtime %s: crigate does not know %s: if it ignores %s, as some runtimes do, %s; such requests pass",
                     runtime, abilities->set.name, translation_rules[ability->rule].field, ability->why);
        }
    }
    abilities->unsure_logged |= report->unsure;
    for (size_t i = 0; i < TRANSLATION_RULE_COUNT; i++) {
        if (report->rules[i].ignored > 0 && !abilities->logged[i]) {
            abilities->logged[i] = true;
            log_line(
                LOG_SERIOUS,
                "runtime %s: %s accepts %s in requests but ignores it: %s; such requests pass, and are counted by crigate status",
                runtime, abilities->set.name, translation_rules[i].field, why_of(&abilities->set, i));
        }
    }
}
