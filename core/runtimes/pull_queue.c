#include "core/runtimes/pull_queue.h"

#include <stdlib.h>
#include <string.h>

/* Of a pod, those that wait. */
struct pull_pod {
    struct hash_link link;
    TAILQ_ENTRY(pull_pod) others;
    TAILQ_HEAD(, pull) pulls;
    struct bytes uid; /* empty: no pod is named */
    uint8_t text[];
};

/* ---- queues ---- */

static struct pull_queue *queue_of(struct runtime *runtime)
{
    struct pull_queue *queue = runtime->pulls ? NULL : calloc(1, sizeof *queue);
    if (queue && !hash_table_init(&queue->table)) {
        free(queue);
        queue = NULL;
    }
    if (queue) {
        queue->runtime = runtime_ref(runtime);
        queue->key = hash_key_random();
        TAILQ_INIT(&queue->pods);
        runtime->pulls = queue;
    }
    return runtime->pulls;
}

bool pull_queue_is_idle(const struct pull_queue *queue)
{
    return queue->under_way == 0 && TAILQ_EMPTY(&queue->pods);
}

void pull_queue_free(struct pull_queue *queue)
{
    queue->runtime->pulls = NULL;
    runtime_unref(queue->runtime);
    hash_table_clear(&queue->table);
    free(queue);
}

static bool has_room(const struct pull_queue *queue)
{
    unsigned most = queue->runtime->entry->pulls;
    return most == 0 || queue->under_way < most;
}

/* ---- pods ---- */

static struct pull_pod *find_pod(const struct pull_queue *queue, struct bytes uid)
{
    struct hash_link *link = uid.len > 0 ? hash_table_find(&queue->table, keyed_hash(&queue->key, uid)) : NULL;
    while (link && !bytes_equal(HASH_ITEM(link, struct pull_pod, link)->uid, uid)) {
        link = hash_link_next(link);
    }
    return link ? HASH_ITEM(link, struct pull_pod, link) : NULL;
}

static struct pull_pod *add_pod(struct pull_queue *queue, struct bytes uid)
{
    struct pull_pod *pod = malloc(sizeof *pod + uid.len);
    if (!pod) {
        return NULL;
    }
    TAILQ_INIT(&pod->pulls);
    TAILQ_INSERT_TAIL(&queue->pods, pod, others);
    pod->uid = bytes_of(pod->text, uid.len);
    if (uid.len > 0) {
        memcpy(pod->text, uid.data, uid.len);
        hash_table_add(&queue->table, &pod->link, keyed_hash(&queue->key, uid));
    }
    return pod;
}

static void leave_pod(struct pull *pull)
{
    struct pull_pod *pod = pull->pod;
    pull->pod = NULL;
    TAILQ_REMOVE(&pod->pulls, pull, others);
    if (TAILQ_EMPTY(&pod->pulls)) {
        TAILQ_REMOVE(&pull->queue->pods, pod, others);
        if (pod->uid.len > 0) {
            hash_table_remove(&pull->queue->table, &pod->link);
        }
        free(pod);
    }
}

/* ---- pulls ---- */

static bool wait(struct pull *pull, struct bytes uid)
{
    struct pull_pod *pod = find_pod(pull->queue, uid);
    pull->pod = pod ? pod : add_pod(pull->queue, uid);
    if (pull->pod) {
        TAILQ_INSERT_TAIL(&pull->pod->pulls, pull, others);
    }
    return pull->pod != NULL;
}

bool pull_queue_enter(struct pull *pull, struct runtime *runtime, struct bytes uid)
{
    struct pull_queue *queue = runtime->entry->pulls > 0 ? queue_of(runtime) : NULL;
    if (!queue) {
        return true;
    }
    pull->queue = queue;
    bool must_wait = !has_room(queue) || !TAILQ_EMPTY(&queue->pods);
    if (must_wait && wait(pull, uid)) {
        return false;
    }
    queue->under_way++;
    return true;
}

bool pull_queue_has_next(const struct pull_queue *queue)
{
    return has_room(queue) && !TAILQ_EMPTY(&queue->pods);
}

struct pull *pull_queue_next(struct pull_queue *queue)
{
    struct pull *pull = TAILQ_FIRST(&TAILQ_FIRST(&queue->pods)->pulls);
    leave_pod(pull);
    queue->under_way++;
    return pull;
}

struct pull_queue *pull_queue_leave(struct pull *pull)
{
    struct pull_queue *queue = pull->queue;
    if (pull->pod) {
        leave_pod(pull);
    } else {
        queue->under_way--;
    }
    pull->queue = NULL;
    return queue;
}
