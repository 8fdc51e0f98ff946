#include "save.h"

#include "base/log/log.h"
#include "base/system/clock.h"
#include "core/store/place_file.h"

/* How long what was last seen may be newer than its file. */
#define SAVE_AFTER_MS 200
/* And how soon a file that could not be written is tried again. */
#define SAVE_AGAIN_MS 5000
/* Longer than the time in which a process that takes over must announce that it serves. */
#define LENT_MS 6000

struct state_file knowledge_file(const struct runtime_map *map, const struct runtime *runtime)
{
    return (struct state_file){.folder = map->state, .name = runtime->entry->name, .endpoint = runtime_endpoint(runtime)};
}

bool knowledge_may_write(const struct knowledge *knowledge)
{
    return !knowledge->handed_over && !knowledge->standby && (knowledge->lent_until == 0 || clock_ns() >= knowledge->lent_until);
}

bool knowledge_keeps_lists(const struct runtime *runtime)
{
    return runtime->entry->when_away == WHEN_AWAY_LAST_KNOWN;
}

bool knowledge_may_lack_something(const struct runtime *runtime)
{
    return runtime->known.making > 0 || runtime->known.in_doubt[ID_POD] != 0 || runtime->known.in_doubt[ID_CONTAINER] != 0;
}

/* A file that cannot be written is logged once, until it can be written again. */
static void note_saving(struct runtime *runtime, bool done, const struct error *error)
{
    if (!done && !runtime->known.save_failed) {
        log_line(LOG_SERIOUS, "runtime %s: cannot save its last-known state: %s", runtime->entry->name, error->message);
    }
    runtime->known.save_failed = !done;
}

/* false: the file could not be written; it is tried again. */
static bool save_one(const struct runtime_map *map, struct runtime *runtime)
{
    struct error error = {0};
    struct state_file file = knowledge_file(map, runtime);
    uint64_t version = last_known_version(runtime->known.last_known);
    if (!knowledge_keeps_lists(runtime) || knowledge_may_lack_something(runtime) || version == runtime->known.saved_version) {
        return true;
    }
    bool done = state_file_write(&file, runtime->known.last_known, &error);
    if (done) {
        runtime->known.saved_version = version;
    }
    note_saving(runtime, done, &error);
    return done;
}

/* Lists that were held are read now at the latest. */
static void settle_all(const struct generation *generation)
{
    for (size_t i = 0; i < generation->map->runtime_count; i++) {
        struct error error = {0};
        if (!last_known_settle(generation->runtimes[i]->known.last_known, &error)) {
            log_line(LOG_SERIOUS, "runtime %s: cannot remember an answer: %s", generation->map->runtimes[i].name, error.message);
        }
    }
}

static void on_save(struct completion *completion, bool ok)
{
    (void)ok;
    struct knowledge *knowledge = completion_owner(completion, struct knowledge, save);
    settle_all(knowledge->generation);
    knowledge_save(knowledge);
}

static void save_after(struct knowledge *knowledge, int64_t milliseconds)
{
    knowledge->save.completion.run = on_save;
    worker_arm(knowledge->worker, &knowledge->save, milliseconds);
}

void knowledge_save(struct knowledge *knowledge)
{
    const struct generation *generation = knowledge->generation;
    bool done = true;
    for (size_t i = 0; knowledge_may_write(knowledge) && i < generation->map->runtime_count; i++) {
        done = save_one(generation->map, generation->runtimes[i]) && done;
    }
    if (!done) {
        save_after(knowledge, SAVE_AGAIN_MS);
    }
}

/* The other process may find no way to a runtime that this one has a connection to: its socket may have been removed. What this
   one makes there until it has ended would be missing. */
void knowledge_lend(struct knowledge *knowledge)
{
    const struct generation *generation = knowledge->generation;
    knowledge_save(knowledge);
    knowledge->lent_until = clock_ns() + LENT_MS * NANOSECONDS_A_MILLISECOND;
    for (size_t i = 0; i < generation->map->runtime_count; i++) {
        if (generation->runtimes[i]->state == RUNTIME_READY) {
            knowledge_doubt_file(knowledge, generation->runtimes[i]);
        }
    }
    save_after(knowledge, LENT_MS + SAVE_AFTER_MS);
}

void knowledge_take_back(struct knowledge *knowledge)
{
    knowledge->lent_until = 0;
    save_after(knowledge, SAVE_AFTER_MS);
}

void knowledge_doubt_file(struct knowledge *knowledge, struct runtime *runtime)
{
    struct error error = {0};
    struct state_file file = knowledge_file(knowledge->generation->map, runtime);
    note_saving(runtime, state_file_doubt(&file, &error), &error);
    runtime->known.saved_version = UINT64_MAX;
}

void knowledge_forget_file(struct knowledge *knowledge, const struct runtime *runtime)
{
    struct error error = {0};
    struct state_file file = knowledge_file(knowledge->generation->map, runtime);
    if (!state_file_remove(&file, &error) && error.code != STATUS_NOT_FOUND) {
        log_line(LOG_SERIOUS, "runtime %s: %s", runtime->entry->name, error.message);
    }
    if (!place_file_remove(&file, &error) && error.code != STATUS_NOT_FOUND) {
        log_line(LOG_SERIOUS, "runtime %s: %s", runtime->entry->name, error.message);
    }
}

void knowledge_making(struct knowledge *knowledge, struct runtime *runtime)
{
    if (runtime->known.making++ == 0) {
        knowledge_doubt_file(knowledge, runtime);
    }
}

void knowledge_made(struct knowledge *knowledge, struct runtime *runtime)
{
    runtime->known.making--;
    knowledge_save_soon(knowledge);
}

void knowledge_save_soon(struct knowledge *knowledge)
{
    if (!knowledge->save.armed) {
        save_after(knowledge, SAVE_AFTER_MS);
    }
}
