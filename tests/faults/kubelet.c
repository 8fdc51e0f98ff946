#include "tests/faults/kubelet.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "sim/common/fields.h"
#include "sim/common/memory.h"
#include "tests/faults/call.h"
#include "tests/faults/chance.h"
#include "tests/faults/claim.h"
#include "tests/faults/event.h"
#include "tests/faults/requests.h"

#define WORKERS 3
#define SLOTS 5 /* pods a worker */
#define CONTAINERS 2
#define IMAGE_NAMES 6
#define RELIST_MS 200
/* A list or a status that takes longer than this is itself a violation, however slow the machine. */
#define LONGEST_MS 5000
#define PATIENCE_MS 9000
#define PATIENT_MS 60000

enum container_step {
    CONTAINER_NONE,
    CONTAINER_MADE,
    CONTAINER_STARTED,
    CONTAINER_STOPPED,
};

/* A pod that is wanted. */
struct slot {
    unsigned runtime;
    char uid[TRUTH_UID_SIZE];
    char pod[TRUTH_ID_SIZE]; /* "" until it is there */
    bool being_removed;
    unsigned attempts; /* of containers */
    struct {
        enum container_step step;
        char id[TRUTH_ID_SIZE];
    } containers[CONTAINERS];
};

struct worker_of_pods {
    struct kubelet *kubelet;
    struct chance chance;
    enum dialect dialect;
    unsigned number;
    unsigned pods;    /* made so far */
    unsigned updates; /* likewise */
    struct slot slots[SLOTS];
    pthread_t thread;
};

struct id_list {
    char (*ids)[TRUTH_ID_SIZE];
    size_t count;
};

struct kubelet {
    const struct node *node;
    bool patient;
    atomic_bool stop;
    struct worker_of_pods workers[WORKERS];
    pthread_t lister;
    pthread_t status_reader;
    struct chance chances[2]; /* the lister's and the status reader's */
    pthread_mutex_t lock;     /* guards what follows, and the uids of slots */
    struct id_list pods;      /* as listed last */
    struct id_list containers;
};

/* ---- calls ---- */

/* Changing calls are given up soon now and then, so that what became of them stays unknown. */
static unsigned patience(struct worker_of_pods *worker)
{
    if (worker->kubelet->patient) {
        return PATIENT_MS;
    }
    return chance_below(&worker->chance, 8) == 0 ? 150 + chance_below(&worker->chance, 400) : 3000;
}

/* That there is no gateway would drown all else. */
static void note_failure(const char *method, const struct call_answer *answer)
{
    if (answer->code != STATUS_OK && !strstr(answer->message, "failed to connect")) {
        event_note("%s: %s: %.160s", method, status_code_name(answer->code), answer->message);
    }
}

static struct call_answer change(struct worker_of_pods *worker, const char *method, struct json_object *request)
{
    struct call_answer answer = call_make(worker->dialect, method, request, patience(worker));
    note_failure(method, &answer);
    if (answer.code == STATUS_FAILED_PRECONDITION && strstr(answer.message, "plugin")) {
        claim_refused(answer.number, answer.began, answer.ended);
    }
    return answer;
}

/* A list or a status. */
static struct call_answer look(enum dialect dialect, const char *method, struct json_object *request)
{
    struct call_answer answer = call_make(dialect, method, request, PATIENCE_MS);
    if (answer.ended - answer.began > LONGEST_MS * NANOSECONDS_A_MILLISECOND) {
        event_violation("%s took %.1f s: %s %s", method, (double)(answer.ended - answer.began) / 1000 / NANOSECONDS_A_MILLISECOND,
                        status_code_name(answer.code), answer.message);
    }
    note_failure(method, &answer);
    return answer;
}

static enum dialect any_dialect(struct chance *chance)
{
    return chance_below(chance, 2) ? DIALECT_V1 : DIALECT_V1ALPHA2;
}

/* ---- pods and containers ---- */

static void new_slot(struct worker_of_pods *worker, struct slot *slot)
{
    pthread_mutex_lock(&worker->kubelet->lock);
    *slot = (struct slot){.runtime = chance_below(&worker->chance, RUNTIME_COUNT)};
    snprintf(slot->uid, sizeof slot->uid, "%s-%u-%u", chance_below(&worker->chance, 8) == 0 ? UNHOOKED_POD : "pod",
             worker->number, ++worker->pods);
    pthread_mutex_unlock(&worker->kubelet->lock);
}

static void run_pod(struct worker_of_pods *worker, struct slot *slot)
{
    struct json_object *request = json_object_new_object();
    json_object_object_add(request, "config", request_pod_config(slot->uid, worker->kubelet->node->runtimes[slot->runtime].name));
    struct call_answer answer = change(worker, "RunPodSandbox", request);
    if (answer.code == STATUS_OK) {
        snprintf(slot->pod, sizeof slot->pod, "%s", field_text(answer.response, "podSandboxId"));
        claim_made(slot->pod, slot->runtime, answer.began, answer.ended);
    } else {
        new_slot(worker, slot); /* if it was made all the same, nobody wants it */
    }
    call_answer_clear(&answer);
}

static void pull_image(struct worker_of_pods *worker, const struct slot *slot, const char *image)
{
    struct json_object *request = json_object_new_object();
    field_set_text(field_new_object(request, "image"), "image", image);
    json_object_object_add(request, "sandboxConfig",
                           request_pod_config(slot->uid, worker->kubelet->node->runtimes[slot->runtime].name));
    struct call_answer answer = change(worker, "PullImage", request);
    call_answer_clear(&answer);
}

static void create_container(struct worker_of_pods *worker, struct slot *slot, unsigned which)
{
    char image[64];
    snprintf(image, sizeof image, "registry.example.com/shop/app-%u:1", chance_below(&worker->chance, IMAGE_NAMES));
    struct json_object *request = request_with_id("podSandboxId", slot->pod);
    if (slot->runtime == IMAGES_OF && chance_below(&worker->chance, 2)) {
        pull_image(worker, slot, image); /* a runtime with an image service asks for none */
    }
    slot->attempts++;
    json_object_object_add(request, "config", request_container_config(slot->uid, slot->attempts, image));
    json_object_object_add(request, "sandboxConfig",
                           request_pod_config(slot->uid, worker->kubelet->node->runtimes[slot->runtime].name));
    struct call_answer answer = change(worker, "CreateContainer", request);
    if (answer.code == STATUS_OK) {
        slot->containers[which].step = CONTAINER_MADE;
        snprintf(slot->containers[which].id, TRUTH_ID_SIZE, "%s", field_text(answer.response, "containerId"));
        claim_made(slot->containers[which].id, slot->runtime, answer.began, answer.ended);
    } else if (strstr(answer.message, "image")) {
        pull_image(worker, slot, image);
    } else if (answer.code == STATUS_NOT_FOUND) {
        claim_absent(slot->pod, "CreateContainer", answer.began, answer.ended);
    }
    call_answer_clear(&answer);
}

/* false: it was not answered, so that it has to be done again. */
static bool change_container(struct worker_of_pods *worker, const char *method, const char *id)
{
    struct call_answer answer = change(worker, method, request_with_id("containerId", id));
    if (answer.code == STATUS_NOT_FOUND) {
        claim_absent(id, method, answer.began, answer.ended);
    } else if (answer.code == STATUS_OK && strcmp(method, "RemoveContainer") == 0) {
        claim_removed(id, answer.began, answer.ended);
    }
    call_answer_clear(&answer);
    /* UNKNOWN is the runtime's word for a state in which there is nothing to do. */
    return answer.code == STATUS_OK || answer.code == STATUS_UNKNOWN || answer.code == STATUS_NOT_FOUND;
}

/* No two updates ask for the same shares, so that journals tell them apart. */
static void update_container(struct worker_of_pods *worker, const char *id)
{
    unsigned shares = 1000 + worker->number + WORKERS * ++worker->updates;
    struct call_answer answer = change(worker, "UpdateContainerResources", request_update(id, shares));
    call_answer_clear(&answer);
}

static void advance_container(struct worker_of_pods *worker, struct slot *slot, unsigned which)
{
    static const char *const methods_by_step[] = {
        [CONTAINER_MADE] = "StartContainer", [CONTAINER_STARTED] = "StopContainer", [CONTAINER_STOPPED] = "RemoveContainer"};
    enum container_step step = slot->containers[which].step;
    const char *id = slot->containers[which].id;
    if (step == CONTAINER_NONE) {
        create_container(worker, slot, which);
    } else if (step == CONTAINER_STARTED && chance_below(&worker->chance, 2) == 0) {
        update_container(worker, id);
    } else if (change_container(worker, methods_by_step[step], id)) {
        bool stop = step == CONTAINER_MADE && chance_below(&worker->chance, 4) == 0; /* at once, as if the pod was deleted */
        slot->containers[which].step = step == CONTAINER_STOPPED ? CONTAINER_NONE : step + 1;
        if (stop && change_container(worker, "StopContainer", id)) {
            slot->containers[which].step = CONTAINER_STOPPED;
        }
    }
}

static bool remove_pod(struct worker_of_pods *worker, const char *pod)
{
    struct call_answer stop = change(worker, "StopPodSandbox", request_with_id("podSandboxId", pod));
    call_answer_clear(&stop);
    if (stop.code != STATUS_OK) {
        return false;
    }
    struct call_answer answer = change(worker, "RemovePodSandbox", request_with_id("podSandboxId", pod));
    call_answer_clear(&answer);
    if (answer.code == STATUS_OK) {
        claim_removed(pod, answer.began, answer.ended);
    } else if (answer.code == STATUS_NOT_FOUND) {
        claim_absent(pod, "RemovePodSandbox", answer.began, answer.ended);
    }
    return answer.code == STATUS_OK || answer.code == STATUS_NOT_FOUND;
}

static void advance(struct worker_of_pods *worker, struct slot *slot)
{
    if (!*slot->pod) {
        run_pod(worker, slot);
    } else if (slot->being_removed) {
        if (remove_pod(worker, slot->pod)) {
            new_slot(worker, slot);
        }
    } else if (chance_below(&worker->chance, 16) == 0) {
        slot->being_removed = true;
    } else {
        advance_container(worker, slot, chance_below(&worker->chance, CONTAINERS));
    }
}

static void *work(void *state)
{
    struct worker_of_pods *worker = state;
    while (!atomic_load(&worker->kubelet->stop)) {
        worker->dialect = any_dialect(&worker->chance);
        advance(worker, &worker->slots[chance_below(&worker->chance, SLOTS)]);
        event_sleep(10 + chance_below(&worker->chance, 60));
    }
    return NULL;
}

/* ---- lists ---- */

static struct json_object *items_of(enum thing_kind kind, const struct call_answer *answer)
{
    return field_child(answer->response, kind == THING_POD ? "items" : "containers");
}

static size_t count_of(struct json_object *items)
{
    return items ? json_object_array_length(items) : 0;
}

static char (*ids_of(struct json_object *items))[TRUTH_ID_SIZE]
{
    size_t count = count_of(items);
    char(*ids)[TRUTH_ID_SIZE] = calloc(count + 1, sizeof *ids);
    if (!ids) {
        abort();
    }
    for (size_t i = 0; i < count; i++) {
        snprintf(ids[i], sizeof ids[i], "%s", field_text(json_object_array_get_idx(items, i), "id"));
    }
    return ids;
}

/* Lists what passes the filter, and has the answer checked. The caller clears it. */
static struct call_answer list(enum dialect dialect, const struct claim_list *filter)
{
    struct json_object *request = json_object_new_object();
    if (*filter->uid || *filter->pod || *filter->id) {
        struct json_object *fields = field_new_object(request, "filter");
        field_set_text(fields, "id", filter->id);
        field_set_text(fields, "podSandboxId", filter->pod);
        if (*filter->uid) {
            field_set_text(field_new_object(fields, "labelSelector"), UID_LABEL, filter->uid);
        }
    }
    struct call_answer answer = look(dialect, filter->kind == THING_POD ? "ListPodSandbox" : "ListContainers", request);
    if (answer.code == STATUS_OK) {
        struct claim_list claim = *filter;
        struct json_object *items = items_of(filter->kind, &answer);
        claim.began = answer.began;
        claim.ended = answer.ended;
        claim.ids = ids_of(items);
        claim.count = count_of(items);
        claim_list(&claim);
    }
    return answer;
}

static bool is_wanted(struct kubelet *kubelet, const char *uid)
{
    bool wanted = false;
    pthread_mutex_lock(&kubelet->lock);
    for (unsigned i = 0; i < WORKERS * SLOTS; i++) {
        wanted = wanted || strcmp(kubelet->workers[i / SLOTS].slots[i % SLOTS].uid, uid) == 0;
    }
    pthread_mutex_unlock(&kubelet->lock);
    return wanted;
}

/* Removes pods that came to be without an answer, as a kubelet does. */
static void remove_orphans(struct kubelet *kubelet, struct json_object *items)
{
    for (size_t i = 0; i < count_of(items); i++) {
        struct json_object *item = json_object_array_get_idx(items, i);
        if (!is_wanted(kubelet, field_text(field_child(item, "metadata"), "uid"))) {
            struct worker_of_pods helper = {.kubelet = kubelet, .chance = kubelet->chances[0], .dialect = DIALECT_V1};
            remove_pod(&helper, field_text(item, "id"));
        }
    }
}

static void remember(struct kubelet *kubelet, struct id_list *list, struct json_object *items)
{
    char(*ids)[TRUTH_ID_SIZE] = ids_of(items);
    pthread_mutex_lock(&kubelet->lock);
    free(list->ids);
    *list = (struct id_list){ids, count_of(items)};
    pthread_mutex_unlock(&kubelet->lock);
}

static void relist(struct kubelet *kubelet, enum dialect dialect)
{
    struct claim_list all_pods = {.kind = THING_POD};
    struct claim_list all_containers = {.kind = THING_CONTAINER};
    struct call_answer pods = list(dialect, &all_pods);
    struct call_answer containers = list(dialect, &all_containers);
    if (containers.code == STATUS_OK) {
        remember(kubelet, &kubelet->containers, items_of(THING_CONTAINER, &containers));
    }
    if (pods.code == STATUS_OK) {
        remember(kubelet, &kubelet->pods, items_of(THING_POD, &pods));
        remove_orphans(kubelet, items_of(THING_POD, &pods));
    }
    call_answer_clear(&pods);
    call_answer_clear(&containers);
}

/* Any of the things listed last; "" when there were none. */
static void any_listed(struct kubelet *kubelet, struct chance *chance, const struct id_list *from, char id[TRUTH_ID_SIZE])
{
    id[0] = '\0';
    pthread_mutex_lock(&kubelet->lock);
    if (from->count > 0) {
        snprintf(id, TRUTH_ID_SIZE, "%s", from->ids[chance_below(chance, (unsigned)from->count)]);
    }
    pthread_mutex_unlock(&kubelet->lock);
}

static void list_filtered(struct kubelet *kubelet, struct chance *chance)
{
    struct claim_list filter = {.kind = chance_below(chance, 2) ? THING_POD : THING_CONTAINER};
    switch (chance_below(chance, 3)) {
    case 0:
        any_listed(kubelet, chance, filter.kind == THING_POD ? &kubelet->pods : &kubelet->containers, filter.id);
        break;
    case 1:
        filter.kind = THING_CONTAINER;
        any_listed(kubelet, chance, &kubelet->pods, filter.pod);
        break;
    default:
        pthread_mutex_lock(&kubelet->lock);
        strcpy(filter.uid, kubelet->workers[chance_below(chance, WORKERS)].slots[chance_below(chance, SLOTS)].uid);
        pthread_mutex_unlock(&kubelet->lock);
    }
    struct call_answer answer = list(any_dialect(chance), &filter);
    call_answer_clear(&answer);
}

static void *keep_listing(void *state)
{
    struct kubelet *kubelet = state;
    struct chance *chance = &kubelet->chances[0];
    while (!atomic_load(&kubelet->stop)) {
        int64_t began = event_now();
        relist(kubelet, any_dialect(chance));
        list_filtered(kubelet, chance);
        int64_t took = (event_now() - began) / NANOSECONDS_A_MILLISECOND;
        if (took < RELIST_MS) {
            event_sleep((unsigned)(RELIST_MS - took));
        }
    }
    return NULL;
}

bool kubelet_lists_work(void)
{
    struct claim_list all_pods = {.kind = THING_POD};
    struct claim_list all_containers = {.kind = THING_CONTAINER};
    struct call_answer pods = list(DIALECT_V1, &all_pods);
    struct call_answer containers = list(DIALECT_V1ALPHA2, &all_containers);
    call_answer_clear(&pods);
    call_answer_clear(&containers);
    return pods.code == STATUS_OK && containers.code == STATUS_OK;
}

/* ---- statuses ---- */

static void ask_status(struct kubelet *kubelet, struct chance *chance, enum thing_kind kind)
{
    char id[TRUTH_ID_SIZE];
    const char *method = kind == THING_POD ? "PodSandboxStatus" : "ContainerStatus";
    any_listed(kubelet, chance, kind == THING_POD ? &kubelet->pods : &kubelet->containers, id);
    if (!*id) {
        return;
    }
    struct json_object *request = request_with_id(kind == THING_POD ? "podSandboxId" : "containerId", id);
    struct call_answer answer = look(any_dialect(chance), method, request);
    const char *answered = field_text(field_child(answer.response, "status"), "id");
    if (answer.code == STATUS_NOT_FOUND) {
        claim_absent(id, method, answer.began, answer.ended);
    } else if (answer.code == STATUS_OK && strcmp(answered, id) != 0) {
        event_violation("%s of %s answered for \"%s\"", method, id, answered);
    }
    call_answer_clear(&answer);
}

static void *keep_asking_statuses(void *state)
{
    struct kubelet *kubelet = state;
    while (!atomic_load(&kubelet->stop)) {
        ask_status(kubelet, &kubelet->chances[1], THING_POD);
        ask_status(kubelet, &kubelet->chances[1], THING_CONTAINER);
        event_sleep(15);
    }
    return NULL;
}

/* ---- start and end ---- */

static void start_thread(pthread_t *thread, void *(*run)(void *state), void *state)
{
    if (pthread_create(thread, NULL, run, state) != 0) {
        abort();
    }
}

struct kubelet *kubelet_start(const struct node *node, uint64_t seed, bool patient)
{
    struct kubelet *kubelet = sim_zeroed(1, sizeof *kubelet);
    kubelet->node = node;
    kubelet->patient = patient;
    pthread_mutex_init(&kubelet->lock, NULL);
    struct chance chance = {seed};
    for (unsigned i = 0; i < WORKERS; i++) {
        struct worker_of_pods *worker = &kubelet->workers[i];
        *worker = (struct worker_of_pods){.kubelet = kubelet, .number = i, .chance = {chance_next(&chance)}};
        for (unsigned slot = 0; slot < SLOTS; slot++) {
            new_slot(worker, &worker->slots[slot]);
        }
    }
    kubelet->chances[0].state = chance_next(&chance);
    kubelet->chances[1].state = chance_next(&chance);
    for (unsigned i = 0; i < WORKERS; i++) {
        start_thread(&kubelet->workers[i].thread, work, &kubelet->workers[i]);
    }
    start_thread(&kubelet->lister, keep_listing, kubelet);
    start_thread(&kubelet->status_reader, keep_asking_statuses, kubelet);
    return kubelet;
}

void kubelet_stop(struct kubelet *kubelet)
{
    atomic_store(&kubelet->stop, true);
    for (unsigned i = 0; i < WORKERS; i++) {
        pthread_join(kubelet->workers[i].thread, NULL);
    }
    pthread_join(kubelet->lister, NULL);
    pthread_join(kubelet->status_reader, NULL);
    free(kubelet->pods.ids);
    free(kubelet->containers.ids);
    pthread_mutex_destroy(&kubelet->lock);
    free(kubelet);
}
