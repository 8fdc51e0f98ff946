#include "save.h"

#include "core/base/log.h"
#include "core/memory/learn.h"
#include "core/store/state_file.h"

/* How long what was last seen may be newer than its file. */
#define SAVE_AFTER_MS 200
/* And how soon a file that could not be written is tried again. */
#define SAVE_AGAIN_MS 5000
/* Longer than a process that takes over has for saying that it serves. */
#define LENT_MS 6000

#define NANOSECONDS_A_MILLISECOND 1000000LL

static struct state_file file_of(const struct runtime_map *map, const struct runtime_entry *entry)
{
    return (struct state_file){.folder = map->state, .name = entry->name, .endpoint = entry->endpoint};
}

/* false: another process keeps the files, until now or from now on, or is about to. */
static bool may_write(const struct gateway *gateway)
{
    return !gateway->left && !gateway->standby && (gateway->lent_until == 0 || worker_now() >= gateway->lent_until);
}

static bool keeps_lists(const struct runtime *runtime)
{
    return runtime->entry->when_away == WHEN_AWAY_LAST_KNOWN;
}

/* What may lack something must not be believed by the next process: the file stays empty until a full list has come. */
static bool may_lack_something(const struct runtime *runtime)
{
    return runtime->making > 0 || runtime->in_doubt[ID_POD] != 0 || runtime->in_doubt[ID_CONTAINER] != 0;
}

/* That the file is not what it should be is told once, until it is again. */
static void note_saving(struct runtime *runtime, bool done, const struct error *error)
{
    if (!done && !runtime->save_failed) {
        log_line(LOG_SERIOUS, "runtime %s: what was last seen of it is not saved: %s", runtime->entry->name, error->message);
    }
    runtime->save_failed = !done;
}

/* false: the file could not be written; it is tried again. */
static bool save_one(const struct runtime_map *map, struct runtime *runtime)
{
    struct error error = {0};
    struct state_file file = file_of(map, runtime->entry);
    uint64_t version = last_known_version(runtime->last_known);
    if (!keeps_lists(runtime) || may_lack_something(runtime) || version == runtime->saved_version) {
        return true;
    }
    bool done = state_file_write(&file, runtime->last_known, &error);
    if (done) {
        runtime->saved_version = version;
    }
    note_saving(runtime, done, &error);
    return done;
}

void gateway_save(struct gateway *gateway)
{
    const struct generation *generation = gateway->generation;
    bool done = true;
    for (size_t i = 0; may_write(gateway) && i < generation->map->runtime_count; i++) {
        done = save_one(generation->map, generation->runtimes[i]) && done;
    }
    if (!done && gateway->phase == GATEWAY_SERVING) {
        worker_arm(&gateway->worker, &gateway->save, SAVE_AGAIN_MS);
    }
}

/* The other process may find no way to a runtime that this one has a connection to: its socket may have been removed. What this
   one makes there until it has ended would be missing. */
void gateway_lend_state(struct gateway *gateway)
{
    const struct generation *generation = gateway->generation;
    gateway_save(gateway);
    gateway->lent_until = worker_now() + LENT_MS * NANOSECONDS_A_MILLISECOND;
    for (size_t i = 0; i < generation->map->runtime_count; i++) {
        if (generation->runtimes[i]->state == RUNTIME_READY) {
            gateway_doubt_file(gateway, generation->runtimes[i]);
        }
    }
    worker_arm(&gateway->worker, &gateway->save, LENT_MS + SAVE_AFTER_MS);
}

void gateway_on_save(struct completion *completion, bool ok)
{
    (void)ok;
    gateway_save(completion_owner(completion, struct gateway, save));
}

void gateway_doubt_file(struct gateway *gateway, struct runtime *runtime)
{
    struct error error = {0};
    struct state_file file = file_of(gateway->generation->map, runtime->entry);
    note_saving(runtime, state_file_doubt(&file, &error), &error);
    runtime->saved_version = UINT64_MAX;
}

void gateway_forget_file(struct gateway *gateway, const struct runtime *runtime)
{
    struct error error = {0};
    struct state_file file = file_of(gateway->generation->map, runtime->entry);
    if (!state_file_remove(&file, &error) && error.code != STATUS_NOT_FOUND) {
        log_line(LOG_SERIOUS, "runtime %s: %s", runtime->entry->name, error.message);
    }
}

void gateway_making(struct gateway *gateway, struct runtime *runtime)
{
    if (runtime->making++ == 0) {
        gateway_doubt_file(gateway, runtime);
    }
}

void gateway_made(struct gateway *gateway, struct runtime *runtime)
{
    runtime->making--;
    gateway_save_soon(gateway);
}

void gateway_load(struct gateway *gateway, const struct runtime_map *map, struct runtime *runtime)
{
    struct error error = {0};
    struct state_file file = file_of(map, runtime->entry);
    struct last_known *known = state_file_read(&file, LAST_KNOWN_DEFAULT_LIMIT, learn_now(), &error);
    if (known) {
        last_known_free(runtime->last_known);
        runtime->last_known = known;
        runtime->saved_version = last_known_version(known);
        learn_from_saved(gateway, runtime);
    } else if (error.code != STATUS_NOT_FOUND) {
        learn_doubt(runtime);
        log_line(LOG_SERIOUS, "runtime %s: what a former process saw of it is not used: %s", runtime->entry->name, error.message);
    }
}

void gateway_save_soon(struct gateway *gateway)
{
    if (!gateway->save.armed) {
        worker_arm(&gateway->worker, &gateway->save, SAVE_AFTER_MS);
    }
}

/* ---- one process after another ---- */

/* Of a runtime that was met, a list that is asked for later tells; of another, what the process before has written down. */
static void catch_up(struct gateway *gateway, struct runtime *runtime)
{
    bool met = runtime->state == RUNTIME_READY || may_lack_something(runtime);
    if (keeps_lists(runtime) && met) {
        learn_doubt(runtime);
    } else if (keeps_lists(runtime)) {
        gateway_load(gateway, gateway->generation->map, runtime);
    } else if (runtime->state == RUNTIME_READY) {
        gateway_doubt_file(gateway, runtime);
    }
}

void gateway_take_part(struct gateway *gateway)
{
    const struct generation *generation = gateway->generation;
    gateway->standby = false;
    for (size_t i = 0; i < generation->map->runtime_count; i++) {
        catch_up(gateway, generation->runtimes[i]);
    }
}

void gateway_predecessor_drained(struct gateway *gateway)
{
    const struct generation *generation = gateway->generation;
    gateway->predecessor = false;
    for (size_t i = 0; i < generation->map->runtime_count; i++) {
        catch_up(gateway, generation->runtimes[i]);
    }
}

void gateway_met(struct gateway *gateway, struct runtime *runtime)
{
    bool nothing_saved = runtime->saved_version == 0 && last_known_version(runtime->last_known) == 0;
    if (runtime->replaced) {
        return;
    }
    if (keeps_lists(runtime) && gateway->predecessor) {
        learn_doubt(runtime);
    }
    if ((!keeps_lists(runtime) || nothing_saved) && may_write(gateway)) {
        gateway_doubt_file(gateway, runtime);
    }
}
