#include "place.h"

#include <stdio.h>
#include <string.h>

#include "base/log/log.h"
#include "base/system/clock.h"
#include "core/knowledge/held.h"
#include "core/knowledge/save.h"
#include "core/store/place_file.h"
#include "core/store/state_file.h"

static bool is_docker(const struct runtime *runtime)
{
    return docker_is_meant(runtime->entry->endpoint);
}

static struct state_file file_of(const struct runtime_map *map, const struct runtime *runtime, const char *endpoint)
{
    return (struct state_file){.folder = map->state, .name = runtime->entry->name, .endpoint = endpoint};
}

/* ---- what the folder has ---- */

/* What a ready runtime holds is known from its lists, if it is at the same place. */
static void adopt(struct runtime *runtime, const struct docker_candidate *place, bool holds)
{
    bool seen = runtime->state == RUNTIME_READY && runtime->connection.docker == place;
    runtime->known.may_hold = seen ? runtime->known.may_hold : holds;
    runtime->known.place_saved = place->endpoint;
    runtime->known.place_holds = holds;
    if (runtime->connection.docker && runtime->connection.docker != place) {
        runtime_is_another(runtime);
    }
    connection_was_at(&runtime->connection, place);
}

static bool recall_from_place(const struct runtime_map *map, struct runtime *runtime, struct error *error)
{
    for (size_t i = 0; i < DOCKER_CANDIDATES; i++) {
        struct state_file file = file_of(map, runtime, docker_candidates[i].endpoint);
        bool holds;
        if (place_file_read(&file, &holds, error)) {
            adopt(runtime, &docker_candidates[i], holds);
            return true;
        }
    }
    return false;
}

/* Lists that can be read are whole: what they lack is not there. */
static bool recall_from_lists(const struct runtime_map *map, struct runtime *runtime)
{
    struct error error;
    for (size_t i = 0; i < DOCKER_CANDIDATES; i++) {
        struct state_file file = file_of(map, runtime, docker_candidates[i].endpoint);
        struct last_known *known = state_file_read(&file, LAST_KNOWN_DEFAULT_LIMIT, clock_ms(), &error);
        if (known) {
            last_known_free(known);
            adopt(runtime, &docker_candidates[i], false);
            return true;
        }
    }
    return false;
}

void place_recall(const struct knowledge *knowledge, const struct runtime_map *map, struct runtime *runtime)
{
    struct error error = {0};
    if (!is_docker(runtime)) {
        struct state_file file = file_of(map, runtime, runtime->entry->endpoint);
        if (!knowledge->standby) {
            place_file_remove(&file, &error);
        }
        return;
    }
    bool told = recall_from_place(map, runtime, &error);
    bool lost = error.code == STATUS_DATA_LOSS || error.code == STATUS_UNAVAILABLE;
    if (!told && lost) {
        log_line(LOG_SERIOUS, "runtime %s: ignoring its saved location: %s", runtime->entry->name, error.message);
    }
    runtime->known.place_lost = !told && !recall_from_lists(map, runtime) && lost;
}

static void write_place(struct knowledge *knowledge, struct runtime *runtime, const struct docker_candidate *place, bool holds)
{
    struct error error = {0};
    bool written = runtime->known.place_saved == place->endpoint && runtime->known.place_holds == holds;
    if (written || !knowledge->generation || runtime->replaced || !knowledge_may_write(knowledge)) {
        return;
    }
    struct state_file file = file_of(knowledge->generation->map, runtime, place->endpoint);
    bool done = place_file_write(&file, holds, &error);
    if (done) {
        runtime->known.place_saved = place->endpoint;
        runtime->known.place_holds = holds;
    } else if (!runtime->known.place_failed) {
        log_line(LOG_SERIOUS, "runtime %s: cannot save its location: %s", runtime->entry->name, error.message);
    }
    runtime->known.place_failed = !done;
}

/* ---- what is known ---- */

size_t place_pods(const struct knowledge *knowledge, struct runtime *runtime)
{
    size_t indexed = id_index_count(knowledge->index, ID_POD, runtime->slot);
    size_t seen = held_count(runtime, ID_POD);
    return indexed > seen ? indexed : seen;
}

/* Whether pods may be there that nobody has seen yet. */
static bool may_hold(const struct runtime *runtime)
{
    return runtime->known.may_hold || runtime->known.place_making > 0 || runtime->known.in_doubt[ID_POD] != 0;
}

void place_note(struct knowledge *knowledge, struct runtime *runtime)
{
    const struct docker_candidate *place = runtime->connection.docker;
    if (place) {
        write_place(knowledge, runtime, place, may_hold(runtime) || place_pods(knowledge, runtime) > 0);
    }
}

void place_making(struct knowledge *knowledge, struct runtime *runtime)
{
    runtime->known.place_making++;
    if (runtime->connection.docker) {
        write_place(knowledge, runtime, runtime->connection.docker, true);
    }
}

void place_made(struct knowledge *knowledge, struct runtime *runtime, bool unclear)
{
    runtime->known.place_making--;
    runtime->known.may_hold = runtime->known.may_hold || unclear;
    place_note(knowledge, runtime);
}

void place_listed(struct knowledge *knowledge, struct runtime *runtime)
{
    if (runtime->connection.docker) {
        runtime->known.may_hold = false;
        place_note(knowledge, runtime);
    }
}

/* ---- moving ---- */

static bool refuse(const struct runtime *runtime, const struct docker_candidate *to, size_t pods, struct error *error)
{
    const struct docker_candidate *from = runtime->connection.docker;
    char held[48] = "may still hold pods";
    if (pods > 0) {
        snprintf(held, sizeof held, "still holds %zu pods", pods);
    }
    return error_set(
        error, STATUS_FAILED_PRECONDITION,
        "docker leads to %s now, but the runtime at %s %s; start %s again, or remove these pods; if they are gone, or "
        "the same in both places, set endpoint to %s in the runtime map",
        to->endpoint, from->endpoint, held, from->program, to->endpoint);
}

/* It may hold pods at another place, and an empty list would make the kubelet believe that they are gone. */
static bool refuse_unknown(const struct knowledge *knowledge, const struct runtime *runtime, const struct docker_candidate *to,
                           struct error *error)
{
    const char *name = runtime->entry->name;
    return error_set(error, STATUS_FAILED_PRECONDITION,
                     "docker leads to %s, but it is not known where it led before: %s.place in %s cannot be read; if its pods "
                     "are at %s, set endpoint to that in the runtime map; if it has none, remove %s.place and %s.lists and "
                     "restart crigate",
                     to->endpoint, name, knowledge->generation->map->state, to->endpoint, name, name);
}

static void forget(struct knowledge *knowledge, struct runtime *runtime)
{
    last_known_forget(runtime->known.last_known);
    id_index_forget_runtime(knowledge->index, runtime->slot);
    knowledge_forget_file(knowledge, runtime);
    runtime->known.saved_version = 0;
    runtime->known.pods = 0;
    runtime->known.place_saved = NULL;
}

bool place_may_move(struct knowledge *knowledge, struct runtime *runtime, const struct docker_candidate *to, struct error *error)
{
    const struct docker_candidate *from = runtime->connection.docker;
    if (!knowledge->generation || runtime->replaced) {
        return error_set(error, STATUS_FAILED_PRECONDITION, "it is being removed");
    }
    if (!from && runtime->known.place_lost) {
        return refuse_unknown(knowledge, runtime, to, error);
    }
    size_t pods = place_pods(knowledge, runtime);
    if (from && (pods > 0 || may_hold(runtime))) {
        return refuse(runtime, to, pods, error);
    }
    /* Two processes at two places would not know of each other's pods. */
    if (from && (knowledge->predecessor_active || !knowledge_may_write(knowledge))) {
        return error_set(
            error, STATUS_FAILED_PRECONDITION,
            "docker leads to %s now, but while one crigate takes over from another, %s is kept: the other one may still "
            "create pods there; this resolves itself",
            to->endpoint, from->endpoint);
    }
    if (from) {
        log_line(LOG_SERIOUS, "runtime %s: docker leads to %s now, no longer to %s; the state of its pods is discarded",
                 runtime->entry->name, to->endpoint, from->endpoint);
        forget(knowledge, runtime);
    }
    write_place(knowledge, runtime, to, false);
    return true;
}
