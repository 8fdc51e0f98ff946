#include "docker/hooks/rebuild.h"

#include <inttypes.h>
#include <stdlib.h>

#include "docker/hooks/known.h"
#include "docker/hooks/lookup.h"
#include "translate/docker/answers.h"

/* All containers with a label of this key. */
#define LIST_TARGET "/containers/json?all=1&filters=%7B%22label%22%3A%5B%22io.kubernetes.docker.type%22%5D%7D"
#define LIST_SIZE ((size_t)64 << 20)
#define LIST_MS 30000

#define AGAIN_MS (INT64_C(5) * 60 * 1000) /* how long until all are asked for again */
#define RETRY_MS 1000                     /* and after a failure */
#define MOST_IDS 65536
#define MEMORY ((size_t)64 << 20) /* of one list or inspection */

struct docker_rebuild {
    struct docker_hooks *hooks;
    struct docker_client *client; /* of its own: requests do not wait for it */
    struct docker_question *question;
    struct timer timer;
    bool on;
    bool failed;          /* the last one, or an inspection of it; logged */
    bool incomplete;      /* Docker did not answer for a container */
    bool too_many;        /* ids, or no memory for them */
    uint64_t made_before; /* hooks->made when the list was asked for */
    struct arena *memory; /* of the ids */
    struct bytes *ids;    /* sorted */
    size_t count;
    size_t room;
    size_t next; /* to inspect */
};

static void forget_ids(struct docker_rebuild *rebuild)
{
    arena_unref(rebuild->memory);
    free(rebuild->ids);
    rebuild->memory = NULL;
    rebuild->ids = NULL;
    rebuild->count = rebuild->room = rebuild->next = 0;
    rebuild->too_many = rebuild->incomplete = false;
}

static void again(struct docker_rebuild *rebuild, int64_t milliseconds)
{
    forget_ids(rebuild);
    memory_trim_soon(&rebuild->hooks->trim);
    worker_arm(rebuild->hooks->settings.worker, &rebuild->timer, milliseconds);
}

static void note_failure(struct docker_rebuild *rebuild, const struct error *error)
{
    if (!rebuild->failed) {
        rebuild->failed = true;
        log_line(LOG_SERIOUS, "cannot yet read the data that plugins need about Docker's containers; retrying: %s",
                 error->message);
    }
}

static void fail(struct docker_rebuild *rebuild, const struct error *error)
{
    note_failure(rebuild, error);
    again(rebuild, RETRY_MS);
}

/* ---- one by one ---- */

static void inspect_next(struct docker_rebuild *rebuild);

static void on_inspected(void *state, const struct error *error, unsigned status, struct bytes body)
{
    struct docker_rebuild *rebuild = state;
    struct docker_container container = {0};
    struct error failure = {0};
    struct arena *arena = arena_new(MEMORY);
    rebuild->question = NULL;
    bool read = arena ? docker_inspection_take(error, status, body, arena, &container, &failure) : error_no_memory(&failure);
    if (read && container.kubernetes) {
        docker_known_inspected(rebuild->hooks, &container, arena);
    }
    arena_unref(arena);
    bool unanswered = failure.code == STATUS_UNAVAILABLE || failure.code == STATUS_DEADLINE_EXCEEDED;
    if (unanswered) { /* the others may be answered */
        error_wrap(&failure, "container %.*s", BYTES_SHOWN(rebuild->ids[rebuild->next], 64));
        note_failure(rebuild, &failure);
        rebuild->incomplete = true;
    } else if (!read && failure.code != STATUS_NOT_FOUND) {
        log_line(LOG_FAILED, "container %.*s: cannot read the data that plugins need about it: %s",
                 BYTES_SHOWN(rebuild->ids[rebuild->next], 64), failure.message);
    }
    rebuild->next++;
    inspect_next(rebuild);
}

static bool is_known(const struct docker_hooks *hooks, struct bytes id)
{
    struct known_pod pod;
    struct known_container container;
    return fact_store_pod(hooks->store, id, &pod) || fact_store_container(hooks->store, id, &container);
}

static void inspect_next(struct docker_rebuild *rebuild)
{
    struct docker_hooks *hooks = rebuild->hooks;
    while (rebuild->next < rebuild->count && is_known(hooks, rebuild->ids[rebuild->next])) {
        rebuild->next++;
    }
    if (rebuild->next == rebuild->count && rebuild->incomplete) {
        again(rebuild, RETRY_MS);
        return;
    }
    if (rebuild->next == rebuild->count) {
        rebuild->failed = false;
        log_line(LOG_STATUS, "Docker has %zu Kubernetes containers; %zu pods and %zu containers are known", rebuild->count,
                 fact_store_count(hooks->store, ID_POD), fact_store_count(hooks->store, ID_CONTAINER));
        again(rebuild, AGAIN_MS);
        return;
    }
    char *target = docker_inspection_target(rebuild->ids[rebuild->next], rebuild->memory);
    rebuild->question =
        target ? docker_client_ask(rebuild->client, target, DOCKER_INSPECTION_SIZE, DOCKER_INSPECTION_MS, on_inspected, rebuild)
               : NULL;
    if (!rebuild->question) {
        again(rebuild, RETRY_MS);
    }
}

/* ---- the list ---- */

static void take_id(void *state, struct bytes id)
{
    struct docker_rebuild *rebuild = state;
    if (rebuild->count == rebuild->room && rebuild->room < MOST_IDS) {
        size_t room = rebuild->room * 2 + 64;
        struct bytes *ids = realloc(rebuild->ids, room * sizeof *ids);
        if (ids) {
            rebuild->ids = ids;
            rebuild->room = room;
        }
    }
    if (rebuild->count < rebuild->room) {
        rebuild->ids[rebuild->count++] = id;
    } else {
        rebuild->too_many = true;
    }
}

static int compare_ids(const void *a, const void *b)
{
    return bytes_compare(*(const struct bytes *)a, *(const struct bytes *)b);
}

static bool is_listed(void *state, struct bytes id)
{
    const struct docker_rebuild *rebuild = state;
    return rebuild->count > 0 && bsearch(&id, rebuild->ids, rebuild->count, sizeof id, compare_ids);
}

/* What was made meanwhile may not be in the list yet. A list that had no room says nothing of the rest. */
static void forget_removed(struct docker_rebuild *rebuild)
{
    struct docker_hooks *hooks = rebuild->hooks;
    if (rebuild->count > 0) {
        qsort(rebuild->ids, rebuild->count, sizeof *rebuild->ids, compare_ids);
    }
    if (hooks->made == rebuild->made_before && !rebuild->too_many) {
        fact_store_retain(hooks->store, ID_POD, is_listed, rebuild);
        fact_store_retain(hooks->store, ID_CONTAINER, is_listed, rebuild);
    }
}

static void on_listed(void *state, const struct error *error, unsigned status, struct bytes body)
{
    struct docker_rebuild *rebuild = state;
    struct error failure = *error;
    rebuild->question = NULL;
    rebuild->memory = arena_new(MEMORY);
    if (failure.code == STATUS_OK && status != 200) {
        error_set(&failure, STATUS_INTERNAL, "Docker answered %u to a request for its containers", status);
    }
    if (failure.code != STATUS_OK ||
        (rebuild->memory ? !docker_list_read(body, rebuild->memory, take_id, rebuild, &failure) : !error_no_memory(&failure))) {
        fail(rebuild, &failure);
        return;
    }
    forget_removed(rebuild);
    inspect_next(rebuild);
}

static void begin(struct docker_rebuild *rebuild)
{
    rebuild->made_before = rebuild->hooks->made;
    rebuild->question = docker_client_ask(rebuild->client, LIST_TARGET, LIST_SIZE, LIST_MS, on_listed, rebuild);
    if (!rebuild->question) {
        again(rebuild, RETRY_MS);
    }
}

static void on_due(struct completion *completion, bool ok)
{
    (void)ok;
    begin(completion_owner(completion, struct docker_rebuild, timer.completion));
}

/* ---- from outside ---- */

struct docker_rebuild *docker_rebuild_new(struct docker_hooks *hooks)
{
    struct docker_rebuild *rebuild = calloc(1, sizeof *rebuild);
    struct docker_client *client = docker_client_start(hooks->settings.docker, hooks->settings.worker);
    if (!rebuild || !client) {
        free(rebuild);
        docker_client_stop(client);
        return NULL;
    }
    *rebuild = (struct docker_rebuild){.hooks = hooks, .client = client, .timer.completion.run = on_due};
    return rebuild;
}

void docker_rebuild_free(struct docker_rebuild *rebuild)
{
    if (rebuild) {
        docker_rebuild_stop(rebuild);
        docker_client_stop(rebuild->client);
        free(rebuild);
    }
}

void docker_rebuild_start(struct docker_rebuild *rebuild)
{
    if (!rebuild->on) {
        rebuild->on = true;
        begin(rebuild);
    }
}

void docker_rebuild_stop(struct docker_rebuild *rebuild)
{
    rebuild->on = false;
    rebuild->failed = false;
    worker_disarm(rebuild->hooks->settings.worker, &rebuild->timer);
    if (rebuild->question) {
        docker_question_cancel(rebuild->question);
        rebuild->question = NULL;
    }
    forget_ids(rebuild);
}
