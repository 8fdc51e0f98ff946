#include "learn.h"

#include "base/bytes/utf8.h"
#include "base/log/log.h"
#include "base/system/clock.h"
#include "core/knowledge/held.h"
#include "core/knowledge/place.h"
#include "core/knowledge/save.h"
#include "core/map/owner.h"
#include "core/runtimes/name_map.h"
#include "translate/bytes/output.h"
#include "translate/lists/item.h"
#include "translate/schema/peek.h"

enum id_kind learn_kind(enum remember remember)
{
    return remember >= REMEMBER_CONTAINER_LIST && remember <= REMEMBER_CONTAINER_REMOVED ? ID_CONTAINER : ID_POD;
}

unsigned learn_subject(const struct method *method)
{
    bool about_neither = method->remember == REMEMBER_NOTHING || method->remember == REMEMBER_IMAGE_STATUS;
    return about_neither ? 0 : 1U << learn_kind(method->remember);
}

void learn_log_failure(const struct runtime *runtime, const struct error *error)
{
    log_line(LOG_SERIOUS, "runtime %s: cannot remember an answer: %s", runtime->entry->name, error->message);
}

/* ---- lists ---- */

struct list_asked_at list_asked_at(const struct knowledge *knowledge, struct runtime *runtime)
{
    return (struct list_asked_at){
        .asked = last_known_sequence(runtime->known.last_known),
        .listing = id_index_begin(knowledge->index),
    };
}

/* Ids of a list that were not learned. */
struct refusals {
    size_t count;
    struct error first;
};

/* Adds to the message which runtime holds an id. */
static void add_holder(const struct knowledge *knowledge, enum id_kind kind, struct bytes id, struct error *error)
{
    unsigned slot;
    const struct generation *generation = knowledge->generation;
    bool held = error->code == STATUS_ALREADY_EXISTS && id_index_find(knowledge->index, kind, id, &slot) != ID_UNKNOWN;
    for (size_t i = 0; held && i < generation->map->runtime_count; i++) {
        if (generation->runtimes[i]->slot == slot) {
            error_set(error, error->code, "runtime %s holds %.*s", generation->map->runtimes[i].name, BYTES_SHOWN(id, 128));
        }
    }
}

static void learn_id(struct knowledge *knowledge, const struct runtime *runtime, enum id_kind kind, struct bytes id,
                     struct refusals *refusals)
{
    struct error error = {0};
    if (!id_index_learn(knowledge->index, kind, id, runtime->slot, &error) && refusals->count++ == 0) {
        add_holder(knowledge, kind, id, &error);
        refusals->first = error;
    }
}

/* Logs ids that were not learned, if their number has changed. */
static void note_refused_ids(struct runtime *runtime, enum id_kind kind, const struct refusals *refusals)
{
    if (refusals->count > 0 && refusals->count != runtime->known.refused_ids[kind]) {
        log_line(LOG_SERIOUS, "runtime %s: %zu ids in its list of %s belong to others and are ignored, the first: %s",
                 runtime->entry->name, refusals->count, kind == ID_POD ? "pods" : "containers", refusals->first.message);
    }
    runtime->known.refused_ids[kind] = refusals->count;
}

static void learn_ids(struct knowledge *knowledge, struct runtime *runtime, enum id_kind kind, struct pieces list,
                      struct list_asked_at marks)
{
    struct list_items items = list_items_of_pieces(kind, runtime_answer_dialect(runtime), list);
    struct list_item item;
    struct refusals refusals = {0};
    while (list_items_next(&items, &item)) {
        learn_id(knowledge, runtime, kind, item.id, &refusals);
    }
    note_refused_ids(runtime, kind, &refusals);
    if (!items.malformed) {
        id_index_end(knowledge->index, runtime->slot, kind, marks.listing);
    }
}

/* If no lists are kept, only the number of pods is known. */
static void count_pods(struct runtime *runtime, struct pieces list)
{
    struct list_items items = list_items_of_pieces(ID_POD, runtime_answer_dialect(runtime), list);
    struct list_item item;
    size_t count = 0;
    while (list_items_next(&items, &item)) {
        count++;
    }
    runtime->known.pods = count;
}

static bool learns_ids(const struct knowledge *knowledge, const struct runtime *runtime)
{
    return runtime->entry->plain_ids && !runtime->replaced && knowledge->generation->plain_count > 1;
}

bool learn_reads_answer(const struct observation *seen)
{
    switch (seen->request->method->remember) {
    case REMEMBER_NOTHING:
        return false;
    case REMEMBER_CONTAINER_LIST:
        return knowledge_keeps_lists(seen->runtime) || learns_ids(seen->knowledge, seen->runtime);
    case REMEMBER_POD_STATUS:
    case REMEMBER_CONTAINER_STATUS:
        return knowledge_keeps_lists(seen->runtime);
    case REMEMBER_IMAGE_PULLED:
        return learn_wants_image_name(seen);
    default:
        return true;
    }
}

/* Whether the ids of the answer are learned one by one, under the map of the call or under one that came since. */
static bool learns_from(const struct observation *seen)
{
    const struct generation *generation = seen->request->generation;
    bool plain = generation->map->runtimes[seen->position].plain_ids;
    return (plain && generation->plain_count > 1) || learns_ids(seen->knowledge, seen->runtime);
}

struct last_known_repetition learn_repetition(const struct observation *seen)
{
    struct runtime *runtime = seen->runtime;
    if (!learn_wants_list(seen) || !knowledge_keeps_lists(runtime) || learns_from(seen)) {
        return (struct last_known_repetition){0};
    }
    return last_known_repetition(runtime->known.last_known, learn_kind(seen->request->method->remember),
                                 runtime_answer_dialect(runtime), seen->marks.asked);
}

/* A full list is known now, and was asked for at that time. */
static void dispel_doubt(struct knowledge *knowledge, struct runtime *runtime, enum id_kind kind, uint64_t asked)
{
    if (runtime->known.in_doubt[kind] != 0 && runtime->known.in_doubt[kind] < asked && !knowledge->predecessor_active) {
        runtime->known.in_doubt[kind] = 0;
        knowledge_save_soon(knowledge);
    }
}

void learn_list(struct knowledge *knowledge, struct runtime *runtime, enum id_kind kind, struct pieces list,
                struct list_asked_at marks)
{
    struct error error = {0};
    if (learns_ids(knowledge, runtime)) {
        learn_ids(knowledge, runtime, kind, list, marks);
    }
    if (!knowledge_keeps_lists(runtime)) {
        if (kind == ID_POD) {
            count_pods(runtime, list);
            place_note(knowledge, runtime);
        }
        return;
    }
    uint64_t before = last_known_version(runtime->known.last_known);
    if (last_known_set_list(runtime->known.last_known, kind, runtime_answer_dialect(runtime), list, marks.asked, clock_ms(),
                            &error)) {
        dispel_doubt(knowledge, runtime, kind, marks.asked);
    } else {
        learn_log_failure(runtime, &error);
    }
    if (last_known_version(runtime->known.last_known) != before) {
        place_note(knowledge, runtime);
        knowledge_save_soon(knowledge);
    }
}

/* Longer lists are read at once, so that little memory is held; and so are those in more pieces, each of which holds the memory
   that it was received in. Usual pieces have 8 KiB or more. */
#define LONGEST_HELD ((size_t)8 * 1024 * 1024)
#define MOST_HELD_PIECES 4096

/* The next list often comes before anything is asked about this one. While a runtime is in doubt, a list must be read at once: it
   may end that. */
static bool hold_list(const struct observation *seen, enum id_kind kind)
{
    struct runtime *runtime = seen->runtime;
    const grpc_slice_buffer *slices = seen->message ? &seen->message->data.raw.slice_buffer : NULL;
    if (!slices || slices->length > LONGEST_HELD || slices->count > MOST_HELD_PIECES || !knowledge_keeps_lists(runtime) ||
        learns_ids(seen->knowledge, runtime) || runtime->known.in_doubt[kind] != 0 ||
        !last_known_hold_list(runtime->known.last_known, kind, runtime_answer_dialect(runtime), slices->slices, slices->count,
                              seen->digested ? &seen->digest : NULL, seen->marks.asked, clock_ms())) {
        return false;
    }
    knowledge_save_soon(seen->knowledge);
    return true;
}

static void learn_listed(const struct observation *seen)
{
    struct knowledge *knowledge = seen->knowledge;
    struct runtime *runtime = seen->runtime;
    enum id_kind kind = learn_kind(seen->request->method->remember);
    if (seen->repeats) {
        last_known_repeated(runtime->known.last_known, kind, seen->marks.asked, clock_ms());
        dispel_doubt(knowledge, runtime, kind, seen->marks.asked);
    } else if (!hold_list(seen, kind)) {
        learn_list(knowledge, runtime, kind, seen->runs, seen->marks);
    }
}

/* ---- what is known, item by item ---- */

static void learn_item(void *state, struct runtime *runtime, enum id_kind kind, const struct list_item *item)
{
    struct error error = {0};
    struct knowledge *knowledge = state;
    if (!id_index_learn(knowledge->index, kind, item->id, runtime->slot, &error)) {
        learn_log_failure(runtime, &error);
    }
}

void learn_places(struct knowledge *knowledge, const struct runtime *runtime, struct pieces list)
{
    struct list_items items = list_items_of_pieces(ID_POD, runtime_answer_dialect(runtime), list);
    struct list_item item;
    while (list_items_next(&items, &item)) {
        pod_places_remember(knowledge->places, item.pod_uid, runtime->slot);
    }
}

static void learn_place(void *state, struct runtime *runtime, enum id_kind kind, const struct list_item *item)
{
    (void)kind;
    struct knowledge *knowledge = state;
    pod_places_remember(knowledge->places, item->pod_uid, runtime->slot);
}

void learn_from_saved(struct knowledge *knowledge, struct runtime *runtime)
{
    held_each(runtime, ID_POD, learn_place, knowledge);
    if (runtime->entry->plain_ids) {
        held_each(runtime, ID_POD, learn_item, knowledge);
        held_each(runtime, ID_CONTAINER, learn_item, knowledge);
    }
}

/* A filter that asks for nothing is not a filter. */
static bool has_filter(const struct observation *seen)
{
    const struct request *request = seen->request;
    struct list_filter filter = {0};
    struct error error;
    return !list_filter_read(&filter, learn_kind(request->method->remember), request->caller, request->bytes, request->arena,
                             &error) ||
           filter.id.len > 0 || filter.pod_sandbox_id.len > 0 || filter.has_state || filter.label_count > 0;
}

/* ---- what was created and removed ---- */

struct bytes learn_created_id(const struct observation *seen, enum id_kind kind)
{
    const struct schema_message *message = seen->request->method->in[runtime_answer_dialect(seen->runtime)].response;
    uint32_t number = schema_number_by_name(message, kind == ID_POD ? "pod_sandbox_id" : "container_id");
    struct bytes id;
    if (!wire_find_payload(seen->received, number, &id) || !utf8_is_valid(id)) {
        return (struct bytes){0};
    }
    return id;
}

static void learn_created(const struct observation *seen)
{
    const struct request *request = seen->request;
    struct runtime *runtime = seen->runtime;
    enum id_kind kind = learn_kind(request->method->remember);
    struct error error = {0};
    struct bytes item;
    if (kind == ID_POD) {
        struct bytes uid = peek_bytes(request->method, request->caller, PEEK_SANDBOX_UID, request->bytes);
        pod_places_remember(seen->knowledge->places, uid, runtime->slot);
    }
    if (!knowledge_keeps_lists(runtime)) {
        runtime->known.pods += kind == ID_POD;
        return;
    }
    struct bytes id = learn_created_id(seen, kind);
    bool done = list_item_compose(kind, runtime->dialect, seen->sent, id, clock_wall_ns(), request->arena, &item, &error) &&
                last_known_created(runtime->known.last_known, kind, runtime->dialect, item, &error);
    if (!done) {
        learn_log_failure(runtime, &error);
        learn_doubt(runtime);
    }
    knowledge_save_soon(seen->knowledge);
}

/* The id of the request as the runtime knows it. */
struct bytes learn_local_id(const struct observation *seen, enum id_kind kind)
{
    const struct request *request = seen->request;
    size_t owner;
    struct bytes local;
    struct bytes id = peek_bytes(request->method, request->caller, kind == ID_POD ? PEEK_POD : PEEK_CONTAINER, request->bytes);
    owner_by_prefix(request->generation->map, id, &owner, &local);
    return local;
}

static void learn_removed(const struct observation *seen)
{
    struct knowledge *knowledge = seen->knowledge;
    enum id_kind kind = learn_kind(seen->request->method->remember);
    struct bytes id = learn_local_id(seen, kind);
    id_index_forget(knowledge->index, kind, id, seen->runtime->slot);
    if (!knowledge_keeps_lists(seen->runtime)) {
        seen->runtime->known.pods -= kind == ID_POD && seen->runtime->known.pods > 0;
        place_note(knowledge, seen->runtime);
        return;
    }
    if (held_has(seen->runtime, kind, id)) {
        last_known_removed(seen->runtime->known.last_known, kind, id);
        place_note(knowledge, seen->runtime);
        knowledge_save_soon(knowledge);
    } else {
        runtime_relist(seen->runtime); /* it may have been the beginning of an id, which runtimes accept */
    }
}

/* ---- statuses and images ---- */

/* What only a verbose status has: a map in which runtimes tell secrets, such as the environment. In all dialects. */
#define INFO_FIELD 2

static void learn_status(const struct observation *seen)
{
    const struct request *request = seen->request;
    struct error error = {0};
    if (!knowledge_keeps_lists(seen->runtime)) {
        return;
    }
    bool verbose = peek_bool(request->method, request->caller, PEEK_VERBOSE, request->bytes);
    struct bytes status = seen->received;
    if (verbose && !walk_output_without(seen->received, INFO_FIELD, request->arena, &status)) {
        return; /* the answer is malformed, or memory is short */
    }
    if (!last_known_set_status(seen->runtime->known.last_known, learn_kind(request->method->remember),
                               runtime_answer_dialect(seen->runtime), status, seen->marks.asked, clock_ms(), &error)) {
        learn_log_failure(seen->runtime, &error);
    }
}

bool learn_is_list(const struct method *method)
{
    return method->remember == REMEMBER_POD_LIST || method->remember == REMEMBER_CONTAINER_LIST;
}

bool learn_is_creation(const struct method *method)
{
    return method->remember == REMEMBER_POD_CREATED || method->remember == REMEMBER_CONTAINER_CREATED;
}

void learn_request(struct observation *seen)
{
    seen->making = learn_is_creation(seen->request->method);
    seen->kept = seen->making && knowledge_keeps_lists(seen->runtime);
    if (seen->kept) {
        knowledge_making(seen->knowledge, seen->runtime);
    }
    if (seen->making) {
        place_making(seen->knowledge, seen->runtime);
    }
}

void learn_doubt(struct runtime *runtime)
{
    uint64_t since = last_known_sequence(runtime->known.last_known);
    for (size_t kind = 0; kind < ID_KIND_COUNT; kind++) {
        runtime->known.in_doubt[kind] = since;
    }
    runtime_relist(runtime);
}

/* Only these codes mean that the runtime did not do it. */
static bool was_refused(grpc_status_code status)
{
    return status == GRPC_STATUS_INVALID_ARGUMENT || status == GRPC_STATUS_NOT_FOUND || status == GRPC_STATUS_ALREADY_EXISTS ||
           status == GRPC_STATUS_FAILED_PRECONDITION || status == GRPC_STATUS_UNIMPLEMENTED;
}

void learn_end(struct observation *seen)
{
    if (!seen->making) {
        return;
    }
    seen->making = false;
    bool unclear = seen->status != GRPC_STATUS_OK && !was_refused(seen->status);
    place_made(seen->knowledge, seen->runtime, unclear);
    if (!seen->kept) {
        return;
    }
    if (unclear) {
        learn_doubt(seen->runtime);
    }
    knowledge_made(seen->knowledge, seen->runtime);
}

bool learn_wants_list(const struct observation *seen)
{
    return learn_is_list(seen->request->method) && !has_filter(seen);
}

void learn_answer(const struct observation *seen, struct bytes response)
{
    switch (seen->request->method->remember) {
    case REMEMBER_NOTHING:
        break;
    case REMEMBER_POD_LIST:
    case REMEMBER_CONTAINER_LIST:
        if (learn_wants_list(seen)) {
            learn_listed(seen);
        }
        break;
    case REMEMBER_POD_STATUS:
    case REMEMBER_CONTAINER_STATUS:
        learn_status(seen);
        break;
    case REMEMBER_POD_CREATED:
    case REMEMBER_CONTAINER_CREATED:
        learn_created(seen);
        break;
    case REMEMBER_POD_REMOVED:
    case REMEMBER_CONTAINER_REMOVED:
        learn_removed(seen);
        break;
    case REMEMBER_IMAGE_STATUS:
        learn_image(seen);
        learn_named_image(seen, response);
        break;
    case REMEMBER_IMAGE_PULLED:
        learn_named_image(seen, response);
        break;
    }
}
