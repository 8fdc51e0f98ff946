#include "resume.h"

#include "base/log/log.h"
#include "base/system/clock.h"
#include "core/knowledge/learn.h"
#include "core/knowledge/place.h"
#include "core/knowledge/save.h"

void knowledge_load(struct knowledge *knowledge, const struct runtime_map *map, struct runtime *runtime)
{
    struct error error = {0};
    struct state_file file = knowledge_file(map, runtime);
    struct last_known *known = state_file_read(&file, LAST_KNOWN_DEFAULT_LIMIT, clock_ms(), &error);
    if (known) {
        last_known_free(runtime->known.last_known);
        runtime->known.last_known = known;
        runtime->known.saved_version = last_known_version(known);
        learn_from_saved(knowledge, runtime);
    } else if (error.code != STATUS_NOT_FOUND) {
        learn_doubt(runtime);
        log_line(LOG_SERIOUS, "runtime %s: ignoring its saved state: %s", runtime->entry->name, error.message);
    }
}

/* ---- one process after another ---- */

/* For a runtime that has connected, a list that is requested later shows it; for another one, the previous process has written it
   down. */
static void catch_up(struct knowledge *knowledge, struct runtime *runtime)
{
    place_recall(knowledge, knowledge->generation->map, runtime);
    bool met = runtime->state == RUNTIME_READY || knowledge_may_lack_something(runtime);
    if (knowledge_keeps_lists(runtime) && met) {
        learn_doubt(runtime);
    } else if (knowledge_keeps_lists(runtime)) {
        knowledge_load(knowledge, knowledge->generation->map, runtime);
    } else if (runtime->state == RUNTIME_READY) {
        knowledge_doubt_file(knowledge, runtime);
    }
}

static void catch_up_all(struct knowledge *knowledge)
{
    const struct generation *generation = knowledge->generation;
    for (size_t i = 0; i < generation->map->runtime_count; i++) {
        catch_up(knowledge, generation->runtimes[i]);
    }
}

void knowledge_take_part(struct knowledge *knowledge)
{
    knowledge->standby = false;
    catch_up_all(knowledge);
}

void knowledge_predecessor_drained(struct knowledge *knowledge)
{
    knowledge->predecessor_active = false;
    catch_up_all(knowledge);
}

void knowledge_met(struct knowledge *knowledge, struct runtime *runtime)
{
    bool nothing_saved = runtime->known.saved_version == 0 && last_known_version(runtime->known.last_known) == 0;
    if (runtime->replaced) {
        return;
    }
    if (knowledge_keeps_lists(runtime) && knowledge->predecessor_active) {
        learn_doubt(runtime);
    }
    if ((!knowledge_keeps_lists(runtime) || nothing_saved) && knowledge_may_write(knowledge)) {
        knowledge_doubt_file(knowledge, runtime);
    }
}
