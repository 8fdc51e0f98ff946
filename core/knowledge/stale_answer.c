#include "stale_answer.h"

#include "core/knowledge/learn.h"
#include "core/runtimes/name_map.h"
#include "translate/convert/convert.h"
#include "translate/lists/filter.h"

/* The request in the model's dialect, with the runtime's own names: to filter with. */
static bool request_of_runtime(const struct observation *seen, struct arena *arena, struct bytes *converted, struct error *error)
{
    const struct request *request = seen->request;
    struct name_map names;
    name_map_for_request(&names, request->generation->map, seen->position);
    struct conversion conversion = {
        .method = request->method, .from = request->caller, .to = DIALECT_MODEL, .arena = arena, .names = &names.names};
    return convert_request(&conversion, request->bytes, converted, error);
}

static bool read_list(const struct observation *seen, enum id_kind kind, struct arena *arena, struct last_known_list *list)
{
    struct error error = {0};
    struct bytes request;
    struct list_filter filter = {0};
    return seen->runtime->known.in_doubt[kind] == 0 && request_of_runtime(seen, arena, &request, &error) &&
           list_filter_read(&filter, kind, DIALECT_MODEL, request, arena, &error) &&
           last_known_list(seen->runtime->known.last_known, kind, &filter, arena, list, &error);
}

static bool read_status(const struct observation *seen, enum id_kind kind, struct last_known_list *pieces)
{
    *pieces = (struct last_known_list){.count = 1};
    return last_known_status(seen->runtime->known.last_known, kind, learn_local_id(seen, kind), &pieces->pieces[0],
                             &pieces->taken_at);
}

bool stale_answer_could_be_given(const struct observation *seen)
{
    const struct method *method = seen->request->method;
    struct last_known *known = seen->runtime->known.last_known;
    enum id_kind kind = learn_kind(method->remember);
    int64_t taken_at;
    struct last_known_piece status;
    if (method->away != AWAY_KNOWN ||
        seen->request->generation->map->runtimes[seen->position].when_away != WHEN_AWAY_LAST_KNOWN) {
        return false;
    }
    return learn_is_list(method) ? seen->runtime->known.in_doubt[kind] == 0 && last_known_taken_at(known, kind, &taken_at)
                                 : last_known_status(known, kind, learn_local_id(seen, kind), &status, &taken_at);
}

/* Whether no list of either kind was ever seen, and nothing shows that the runtime holds anything: a runtime that has not
   connected since the node started holds nothing, and one that could never list does not affect the others. One that has reported
   its pods exists, and may have containers. */
static bool was_never_seen(const struct runtime *runtime)
{
    bool never = true;
    for (size_t kind = 0; kind < ID_KIND_COUNT; kind++) {
        int64_t taken_at;
        never = never && runtime->known.in_doubt[kind] == 0 &&
                !last_known_taken_at(runtime->known.last_known, (enum id_kind)kind, &taken_at) &&
                !last_known_gave_up(runtime->known.last_known, (enum id_kind)kind);
    }
    return never;
}

enum stale_answer stale_answer_none(const struct observation *seen, struct error *error)
{
    if (seen->runtime->known.in_doubt[learn_kind(seen->request->method->remember)] != 0 && error->code == STATUS_UNAVAILABLE) {
        struct error why = *error;
        error_set(error, why.code, "%s; it may hold something that crigate has not seen, so its last-known state is not used",
                  why.message);
    }
    return observation_is_one_of_several(seen) && was_never_seen(seen->runtime) ? STALE_OMIT : STALE_NONE;
}

enum stale_answer stale_answer_find(const struct observation *seen, struct error *error)
{
    const struct method *method = seen->request->method;
    const struct runtime_map *map = seen->request->generation->map;
    enum when_away when_away = map->runtimes[seen->position].when_away;
    bool several = observation_is_one_of_several(seen);
    bool fails = method->away == AWAY_FAIL || method->away == AWAY_RUNTIME;
    if (fails || (error->code != STATUS_UNAVAILABLE && !several)) {
        return STALE_NONE;
    }
    if (seen->runtime->leads_back) {
        return several ? STALE_OMIT : STALE_NONE; /* it holds only what the others hold */
    }
    if (method->away == AWAY_OMIT || when_away == WHEN_AWAY_OMIT) {
        /* With a filter, it may be the only runtime that is asked: then the list is empty, because it would add nothing to the
           others'. */
        return several || (method->route == ROUTE_ALL && seen->position != map->primary) ? STALE_OMIT : STALE_NONE;
    }
    if (when_away != WHEN_AWAY_LAST_KNOWN) {
        return STALE_NONE;
    }
    return stale_answer_could_be_given(seen) ? STALE_FOUND : stale_answer_none(seen, error);
}

bool stale_answer_read(const struct observation *seen, struct arena *arena, struct last_known_list *pieces)
{
    const struct method *method = seen->request->method;
    enum id_kind kind = learn_kind(method->remember);
    return learn_is_list(method) ? read_list(seen, kind, arena, pieces) : read_status(seen, kind, pieces);
}
