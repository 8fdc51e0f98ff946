#include "resync.h"

#include <stdlib.h>

#include "core/knowledge/held.h"
#include "core/knowledge/learn.h"
#include "core/runtimes/list_query.h"
#include "core/runtimes/request.h"
#include "translate/convert/convert.h"

/* Nobody waits for a list of all there is; it may take this many of the runtime's budgets. */
#define LIST_BUDGETS INT64_C(6)

/* The report about the current pod. */
struct pod_view {
    struct arena *arena; /* NULL: none is at hand */
    struct bytes pod;
    struct bytes pod_status;
    struct bytes *statuses;
    size_t status_count;
    size_t asked; /* of its members */
    const struct event_member *members;
    size_t member_count;
};

struct event_resync {
    struct event_resync_settings settings;
    const struct event_resync_listener *listener;
    void *state;
    struct arena *arena;
    struct event_lists lists;
    struct event_comparison comparison;
    size_t next; /* of the tales */
    struct pod_view view;
    struct list_query *listing; /* while a list is asked for */
    struct query *query;        /* while a status is */
    bool waiting;               /* for room */
};

static void go_on(struct event_resync *resync);

static void release(struct event_resync *resync)
{
    arena_unref(resync->view.arena);
    arena_unref(resync->arena);
    free(resync);
}

static void finish(struct event_resync *resync, const struct error *error)
{
    const struct event_resync_listener *listener = resync->listener;
    void *state = resync->state;
    struct error copy = *error;
    release(resync);
    listener->done(state, &copy);
}

static void fail(struct event_resync *resync, enum status_code code, const char *text)
{
    struct error error = {0};
    error_set(&error, code, "%s", text);
    finish(resync, &error);
}

/* false: it could not be sent. */
static bool ask_status(struct event_resync *resync, const struct method *method, struct bytes request, query_done *done)
{
    struct runtime *runtime = resync->settings.runtime;
    resync->query = query_start(&runtime->connection.channel, method->in[runtime->dialect].path, request, runtime->entry->budget,
                                done, resync);
    return resync->query != NULL;
}

static bool ask_list(struct event_resync *resync, const char *method, query_done *done)
{
    struct runtime *runtime = resync->settings.runtime;
    resync->listing = list_query_start(runtime, method_by_name(method), LIST_BUDGETS * runtime->entry->budget, done, resync);
    return resync->listing != NULL;
}

/* ---- the statuses of a pod ---- */

static struct bytes converted(struct event_resync *resync, const struct method *method, enum dialect from, struct bytes answer)
{
    struct error ignored = {0};
    struct bytes out;
    struct conversion conversion = {
        .method = method,
        .from = from,
        .to = DIALECT_MODEL,
        .arena = resync->view.arena,
        .node = resync->settings.node,
        .merged = true,
    };
    if (!convert_response(&conversion, answer, &out, &ignored)) {
        return (struct bytes){0};
    }
    return out.data == answer.data ? arena_copy(resync->view.arena, out) : out;
}

static bool add_status(struct pod_view *view, size_t room, struct bytes status)
{
    if (!view->statuses) {
        view->statuses = arena_zalloc(view->arena, room * sizeof *view->statuses);
    }
    if (!view->statuses || view->status_count == room) {
        return false;
    }
    view->statuses[view->status_count++] = status;
    return true;
}

/* Better no statuses at all, which kubelets pass over, than fewer than there are, from which they would learn that containers
   died. */
static void give_up_statuses(struct pod_view *view)
{
    view->pod_status = (struct bytes){0};
    view->status_count = 0;
    view->asked = view->member_count;
}

static void on_container_status(void *state, const struct error *error, struct bytes answer)
{
    struct event_resync *resync = state;
    struct pod_view *view = &resync->view;
    enum dialect from = runtime_answer_dialect(resync->settings.runtime);
    resync->query = NULL;
    if (error->code == STATUS_OK) {
        struct bytes model = converted(resync, method_by_name("ContainerStatus"), from, answer);
        struct bytes status = container_event_status(ID_CONTAINER, model);
        if (status.len == 0 || !add_status(view, view->member_count, status)) {
            give_up_statuses(view);
        }
    } else if (error->code != STATUS_NOT_FOUND) {
        give_up_statuses(view);
    }
    go_on(resync);
}

/* false: nothing more to wait for. */
static bool ask_container_status(struct event_resync *resync)
{
    struct pod_view *view = &resync->view;
    struct bytes request;
    if (view->asked >= view->member_count) {
        return false;
    }
    struct bytes id = view->members[view->asked++].id;
    if (!container_event_ask(ID_CONTAINER, resync->settings.runtime->dialect, id, view->arena, &request) ||
        !ask_status(resync, method_by_name("ContainerStatus"), request, on_container_status)) {
        give_up_statuses(view);
        return false;
    }
    return true;
}

/* A pod that is deleted, or about to be: its last known state. */
static void view_pod_at_end(struct event_resync *resync)
{
    struct pod_view *view = &resync->view;
    struct container_event_pod seen;
    struct bytes answer;
    view->asked = view->member_count;
    if (event_table_seen_pod(resync->settings.table, view->pod, &seen) &&
        container_event_pod_at_end(&seen, view->arena, &answer)) {
        struct bytes model = converted(resync, method_by_name("PodSandboxStatus"), seen.dialect, answer);
        view->pod_status = container_event_status(ID_POD, model);
    }
}

static void take_pod_status(struct event_resync *resync, struct bytes answer)
{
    struct pod_view *view = &resync->view;
    enum dialect from = runtime_answer_dialect(resync->settings.runtime);
    struct bytes model = converted(resync, method_by_name("PodSandboxStatus"), from, answer);
    struct bytes status;
    size_t room = 0;
    view->pod_status = container_event_status(ID_POD, model);
    for (size_t at = 0; container_event_next_status(model, &at, &status);) {
        room++;
    }
    for (size_t at = 0; container_event_next_status(model, &at, &status);) {
        if (!add_status(view, room, status)) {
            give_up_statuses(view);
            return;
        }
    }
    if (room > 0 || view->pod_status.len == 0) {
        view->asked = view->member_count; /* it included its containers, or was empty */
    }
}

static void on_pod_status(void *state, const struct error *error, struct bytes answer)
{
    struct event_resync *resync = state;
    resync->query = NULL;
    if (error->code == STATUS_OK) {
        take_pod_status(resync, answer);
    } else if (error->code == STATUS_NOT_FOUND) {
        view_pod_at_end(resync);
    } else {
        give_up_statuses(&resync->view);
    }
    go_on(resync);
}

/* Switches to the tale's pod. false: an answer must arrive first. */
static bool open_view(struct event_resync *resync, const struct event_tale *tale)
{
    struct pod_view *view = &resync->view;
    struct bytes request;
    arena_unref(view->arena);
    *view = (struct pod_view){
        .arena = arena_new(call_memory(resync->settings.message_size)),
        .pod = tale->pod,
    };
    view->members = event_comparison_members(&resync->comparison, tale->pod, &view->member_count);
    if (!view->arena || tale->pod.len == 0) {
        view->asked = view->member_count;
    } else if (tale->pod_is_gone) {
        view_pod_at_end(resync);
    } else if (container_event_ask(ID_POD, resync->settings.runtime->dialect, tale->pod, view->arena, &request) &&
               ask_status(resync, method_by_name("PodSandboxStatus"), request, on_pod_status)) {
        return false;
    } else {
        give_up_statuses(view);
    }
    return true;
}

/* ---- reporting ---- */

static bool was_never_started(const struct pod_view *view, const struct event_tale *tale)
{
    bool never_started = false;
    for (size_t i = 0; i < view->status_count; i++) {
        if (container_event_is_of(view->statuses[i], tale->id, &never_started)) {
            break;
        }
    }
    return never_started;
}

static void tell(struct event_resync *resync, const struct event_tale *tale)
{
    const struct pod_view *view = &resync->view;
    struct container_event_parts parts = {
        .id = tale->id,
        .pod_status = view->pod_status,
        .statuses = view->statuses,
        .status_count = view->status_count,
    };
    unsigned stages =
        event_table_untold(resync->settings.table, tale->kind, tale->id, tale->stage, was_never_started(view, tale));
    if (stages && view->arena) {
        resync->listener->tell(resync->state, tale, stages, &parts, view->arena);
    }
}

/* A pod's tales are adjacent, but if it was reported as deleted meanwhile, it has another view. */
static bool has_view(const struct event_resync *resync, const struct event_tale *tale)
{
    return resync->view.arena && bytes_equal(resync->view.pod, tale->pod);
}

static void go_on(struct event_resync *resync)
{
    while (resync->next < resync->comparison.tale_count) {
        const struct event_tale *tale = &resync->comparison.tales[resync->next];
        if (!event_table_untold(resync->settings.table, tale->kind, tale->id, tale->stage, true)) {
            resync->next++;
            continue;
        }
        if (!resync->listener->has_room(resync->state)) {
            resync->waiting = true;
            return;
        }
        if ((!has_view(resync, tale) && !open_view(resync, tale)) || ask_container_status(resync)) {
            return;
        }
        tell(resync, tale);
        resync->next++;
    }
    finish(resync, &(struct error){0});
}

void event_resync_go_on(struct event_resync *resync)
{
    if (resync->waiting) {
        resync->waiting = false;
        go_on(resync);
    }
}

/* ---- the lists ---- */

static void learn(struct event_table *table, const struct event_comparison *comparison)
{
    for (size_t i = 0; i < comparison->tale_count; i++) {
        const struct event_tale *tale = &comparison->tales[i];
        event_table_told(table, tale->kind, tale->id, tale->pod, tale->stage);
    }
}

static void on_pods(void *state, const struct error *error, struct bytes answer)
{
    struct event_resync *resync = state;
    struct error failure = {0};
    resync->listing = NULL;
    resync->lists.pods = answer;
    if (error->code != STATUS_OK) {
        finish(resync, error);
        return;
    }
    if (!event_table_compare(resync->settings.table, &resync->lists, resync->arena, &resync->comparison, &failure)) {
        finish(resync, &failure);
        return;
    }
    if (resync->settings.silent) {
        learn(resync->settings.table, &resync->comparison);
        resync->next = resync->comparison.tale_count;
    }
    go_on(resync);
}

static void on_containers(void *state, const struct error *error, struct bytes answer)
{
    struct event_resync *resync = state;
    resync->listing = NULL;
    if (error->code != STATUS_OK) {
        finish(resync, error);
        return;
    }
    resync->lists.containers = arena_copy(resync->arena, answer);
    resync->lists.pods_asked = event_table_ask(resync->settings.table);
    if ((answer.len > 0 && !resync->lists.containers.data) || !ask_list(resync, "ListPodSandbox", on_pods)) {
        fail(resync, STATUS_RESOURCE_EXHAUSTED, "not enough memory for a list");
    }
}

static bool take_heard(struct event_resync *resync)
{
    const struct event_resync_settings *settings = &resync->settings;
    if (settings->heard_count == 0) {
        return true;
    }
    struct event_tale *tales = arena_alloc(resync->arena, settings->heard_count * sizeof *tales);
    for (size_t i = 0; tales && i < settings->heard_count; i++) {
        tales[i] = settings->heard[i];
        tales[i].id = arena_copy(resync->arena, settings->heard[i].id);
        tales[i].pod = arena_copy(resync->arena, settings->heard[i].pod);
        if (!tales[i].id.data || (settings->heard[i].pod.len > 0 && !tales[i].pod.data)) {
            return false;
        }
    }
    resync->lists.heard = tales;
    resync->lists.heard_count = settings->heard_count;
    return tales != NULL;
}

/* Containers first: then the list of pods, which is newer, has the pods of them all. */
struct event_resync *event_resync_start(const struct event_resync_settings *settings,
                                        const struct event_resync_listener *listener, void *state)
{
    struct event_resync *resync = calloc(1, sizeof *resync);
    struct arena *arena = arena_new(call_memory(settings->message_size));
    if (!resync || !arena) {
        free(resync);
        arena_unref(arena);
        return NULL;
    }
    *resync = (struct event_resync){.settings = *settings, .listener = listener, .state = state, .arena = arena};
    resync->lists.dialect = runtime_answer_dialect(settings->runtime);
    resync->lists.containers_asked = event_table_ask(settings->table);
    if (!take_heard(resync) || !ask_list(resync, "ListContainers", on_containers)) {
        release(resync);
        return NULL;
    }
    return resync;
}

void event_resync_cancel(struct event_resync *resync)
{
    if (resync->query) {
        query_cancel(resync->query);
    }
    if (resync->listing) {
        list_query_cancel(resync->listing);
    }
    release(resync);
}

/* ---- what was last seen ---- */

/* Both lists, as far as the runtime spoke one dialect in all of them. */
static bool read_known(struct last_known *known, struct arena *arena, struct event_lists *lists, int64_t *taken_at)
{
    struct bytes *const places[ID_KIND_COUNT] = {[ID_POD] = &lists->pods, [ID_CONTAINER] = &lists->containers};
    size_t pieces = 0;
    for (enum id_kind kind = 0; kind < ID_KIND_COUNT; kind++) {
        struct last_known_list list;
        struct list_filter all = {0};
        struct error ignored = {0};
        if (!last_known_list(known, kind, &all, arena, &list, &ignored) || list.count > 1 ||
            (list.count == 1 && pieces > 0 && list.pieces[0].dialect != lists->dialect)) {
            return false;
        }
        if (list.count == 1) {
            pieces++;
            lists->dialect = list.pieces[0].dialect;
            *places[kind] = list.pieces[0].response;
        }
        *taken_at = kind == 0 || list.taken_at < *taken_at ? list.taken_at : *taken_at;
    }
    return true;
}

bool event_resync_from_known(struct event_table *table, struct last_known *known, size_t message_size, int64_t *taken_at)
{
    struct arena *arena = arena_new(call_memory(message_size));
    struct event_lists lists = {.dialect = DIALECT_MODEL};
    struct event_comparison comparison;
    struct error ignored = {0};
    bool good = arena && read_known(known, arena, &lists, taken_at);
    lists.containers_asked = event_table_ask(table);
    lists.pods_asked = event_table_ask(table);
    good = good && event_table_compare(table, &lists, arena, &comparison, &ignored);
    if (good) {
        learn(table, &comparison);
    }
    arena_unref(arena);
    return good;
}

/* The content of a runtime that is removed from the map. false: unknown. */
static bool read_last(struct event_resync *look)
{
    struct runtime *runtime = look->settings.runtime;
    int64_t taken_at;
    if (runtime->entry->when_away == WHEN_AWAY_LAST_KNOWN &&
        read_known(runtime->known.last_known, look->arena, &look->lists, &taken_at)) {
        return true;
    }
    look->lists.pods = look->lists.containers = (struct bytes){0};
    return held_count(runtime, ID_POD) == 0;
}

static void tell_last(struct event_resync *look)
{
    bool all_gone = look->lists.pods.len == 0;
    for (size_t i = 0; i < look->comparison.tale_count; i++) {
        struct event_tale tale = look->comparison.tales[i];
        if (all_gone || tale.pod_is_gone) {
            tale.pod_is_gone = true;
            if (!has_view(look, &tale)) {
                open_view(look, &tale);
            }
            tell(look, &tale);
        }
    }
}

void event_resync_last_look(const struct event_resync_settings *settings, const struct event_resync_listener *listener,
                            void *state)
{
    struct event_resync look = {.settings = *settings, .listener = listener, .state = state};
    struct error ignored = {0};
    look.arena = arena_new(call_memory(settings->message_size));
    look.lists.dialect = DIALECT_MODEL;
    if (look.arena && read_last(&look) && take_heard(&look)) {
        look.lists.containers_asked = event_table_ask(settings->table);
        look.lists.pods_asked = event_table_ask(settings->table);
        if (event_table_compare(settings->table, &look.lists, look.arena, &look.comparison, &ignored)) {
            tell_last(&look);
        }
    }
    arena_unref(look.view.arena);
    arena_unref(look.arena);
}
