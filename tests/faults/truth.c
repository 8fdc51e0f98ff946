#include "tests/faults/truth.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/common/fields.h"
#include "sim/common/journal_line.h"
#include "sim/common/memory.h"
#include "sim/ids.h"
#include "tests/faults/call.h"
#include "tests/faults/event.h"

#define BUCKETS 4096

/* A call that names something, to be looked at when it is clear who had that. */
struct mention {
    char id[TRUTH_ID_SIZE];
    char method[48];
    unsigned runtime;
    int64_t at;
};

struct journal {
    FILE *file;     /* NULL until it is there */
    int64_t latest; /* time of its last line */
};

struct truth {
    const struct node *node;
    truth_call *on_call;
    void *state;
    struct journal journals[RUNTIME_COUNT];
    struct thing **things; /* in the order in which they came to be known */
    size_t count;
    struct thing *buckets[BUCKETS];
    struct mention *mentions;
    size_t mention_count;
    uint8_t *executed; /* by number of call: what of CALL_EXECUTED and CALL_REFUSED it was */
    size_t executed_size;
};

enum {
    CALL_EXECUTED = 1, /* of calls that change something */
    CALL_REFUSED = 2,
};

/* Calls that must not be executed twice. */
static const char *const changing[] = {"RunPodSandbox",   "StopPodSandbox", "RemovePodSandbox",
                                       "CreateContainer", "StartContainer", "StopContainer",
                                       "RemoveContainer", "PullImage",      "UpdateContainerResources"};

struct truth *truth_new(const struct node *node, truth_call *on_call, void *state)
{
    struct truth *truth = sim_zeroed(1, sizeof *truth);
    truth->node = node;
    truth->on_call = on_call;
    truth->state = state;
    return truth;
}

void truth_free(struct truth *truth)
{
    for (size_t i = 0; i < truth->count; i++) {
        free(truth->things[i]);
    }
    for (unsigned i = 0; i < RUNTIME_COUNT; i++) {
        if (truth->journals[i].file) {
            fclose(truth->journals[i].file);
        }
    }
    free(truth->things);
    free(truth->mentions);
    free(truth->executed);
    free(truth);
}

/* ---- things ---- */

static size_t bucket_of(const char *id)
{
    return hash_of_bytes(id, strlen(id), 0) % BUCKETS;
}

static struct thing *find(const struct truth *truth, const char *id)
{
    struct thing *thing = truth->buckets[bucket_of(id)];
    while (thing && strcmp(thing->id, id) != 0) {
        thing = thing->next;
    }
    return thing;
}

const struct thing *truth_find(const struct truth *truth, const char *id)
{
    return find(truth, id);
}

size_t truth_count(const struct truth *truth)
{
    return truth->count;
}

const struct thing *truth_at(const struct truth *truth, size_t index)
{
    return truth->things[index];
}

bool thing_was_there(const struct thing *thing, int64_t began, int64_t ended)
{
    return thing->made < began && thing->gone > ended;
}

bool thing_was_known(const struct thing *thing, int64_t began, int64_t ended)
{
    return thing_was_there(thing, began, ended) && (call_ended(thing->call) < began || thing->seen < began);
}

void truth_saw(struct truth *truth, const char *id, int64_t ended)
{
    struct thing *thing = find(truth, id);
    if (thing && ended < thing->seen) {
        thing->seen = ended;
    }
}

/* A runtime's own id as callers see it. */
static void global_id(const struct truth *truth, unsigned runtime, const char *id, char global[TRUTH_ID_SIZE])
{
    snprintf(global, TRUTH_ID_SIZE, "%s%s", truth->node->runtimes[runtime].id_prefix, id);
}

const struct thing *truth_find_own(const struct truth *truth, unsigned runtime, const char *id)
{
    char global[TRUTH_ID_SIZE];
    global_id(truth, runtime, id, global);
    return find(truth, global);
}

static struct thing *add(struct truth *truth, enum thing_kind kind, unsigned runtime, const char *id, int64_t at)
{
    struct thing *thing = sim_zeroed(1, sizeof *thing);
    truth->things = sim_grown(truth->things, truth->count, sizeof *truth->things);
    thing->kind = kind;
    thing->runtime = runtime;
    thing->made = at;
    thing->gone = INT64_MAX;
    thing->seen = INT64_MAX;
    global_id(truth, runtime, id, thing->id);
    struct thing **bucket = &truth->buckets[bucket_of(thing->id)];
    thing->next = *bucket;
    *bucket = thing;
    truth->things[truth->count++] = thing;
    return thing;
}

static void end_thing(struct truth *truth, struct thing *thing, int64_t at)
{
    thing->gone = at;
    for (size_t i = 0; thing->kind == THING_POD && i < truth->count; i++) {
        struct thing *other = truth->things[i];
        if (other->kind == THING_CONTAINER && other->gone == INT64_MAX && strcmp(other->pod, thing->id) == 0) {
            other->gone = at;
        }
    }
}

/* A container belongs to a pod of its runtime, under whose own id that is known. */
static void put_in_pod(struct truth *truth, struct thing *container, const char *pod)
{
    global_id(truth, container->runtime, pod, container->pod);
    const struct thing *owner = find(truth, container->pod);
    snprintf(container->uid, sizeof container->uid, "%s", owner ? owner->uid : "");
}

/* ---- a runtime's start ---- */

/* Adds what is not known because the runtime was killed between making it and telling the journal. */
static void keep_restored(struct truth *truth, unsigned runtime, enum thing_kind kind, struct json_object *items, int64_t at)
{
    char global[TRUTH_ID_SIZE];
    for (size_t i = 0; i < json_object_array_length(items); i++) {
        struct json_object *item = json_object_array_get_idx(items, i);
        global_id(truth, runtime, field_text(item, "id"), global);
        if (find(truth, global)) {
            continue;
        }
        struct thing *thing = add(truth, kind, runtime, field_text(item, "id"), at);
        if (kind == THING_POD) {
            snprintf(thing->uid, sizeof thing->uid, "%s", field_text(field_child(item, "metadata"), "uid"));
        } else {
            put_in_pod(truth, thing, field_text(item, "podSandboxId"));
        }
    }
}

static bool has_id(struct json_object *items, const char *id)
{
    for (size_t i = 0; i < json_object_array_length(items); i++) {
        if (strcmp(field_text(json_object_array_get_idx(items, i), "id"), id) == 0) {
            return true;
        }
    }
    return false;
}

/* What is not there any more was removed after the last line that the journal had before. */
static void take_restored(struct truth *truth, unsigned runtime, struct json_object *restored, int64_t at)
{
    struct json_object *pods = field_child(restored, "pods");
    struct json_object *containers = field_child(restored, "containers");
    size_t prefix = strlen(truth->node->runtimes[runtime].id_prefix);
    for (size_t i = 0; i < truth->count; i++) {
        struct thing *thing = truth->things[i];
        if (thing->runtime == runtime && thing->gone == INT64_MAX &&
            !has_id(thing->kind == THING_POD ? pods : containers, thing->id + prefix)) {
            thing->gone = truth->journals[runtime].latest;
        }
    }
    keep_restored(truth, runtime, THING_POD, pods, at);
    keep_restored(truth, runtime, THING_CONTAINER, containers, at);
}

/* ---- a call ---- */

static bool is_changing(const char *method)
{
    for (size_t i = 0; i < sizeof changing / sizeof *changing; i++) {
        if (strcmp(changing[i], method) == 0) {
            return true;
        }
    }
    return false;
}

static unsigned call_number(struct json_object *line)
{
    return (unsigned)field_number(field_child(line, "metadata"), CALL_NUMBER_KEY);
}

static void report_refused(size_t number, int64_t at)
{
    event_violation_at(at, "call %zu was refused because of its hooks, but a runtime got it", number);
}

static uint8_t *marks_of(struct truth *truth, size_t number)
{
    while (number >= truth->executed_size) {
        truth->executed = sim_grown(truth->executed, truth->executed_size, sizeof *truth->executed);
        truth->executed[truth->executed_size++] = 0;
    }
    return &truth->executed[number];
}

static void note_execution(struct truth *truth, unsigned runtime, const char *method, struct json_object *line)
{
    size_t number = call_number(line);
    if (number == 0 || !is_changing(method)) {
        return;
    }
    uint8_t *marks = marks_of(truth, number);
    if (*marks & CALL_EXECUTED) {
        event_violation("runtime %s got call %zu, %s, which was executed already", truth->node->runtimes[runtime].name, number,
                        method);
    }
    if (*marks & CALL_REFUSED) {
        report_refused(number, field_number(line, "at"));
    }
    *marks |= CALL_EXECUTED;
}

void truth_refused(struct truth *truth, unsigned number, int64_t at)
{
    uint8_t *marks = marks_of(truth, number);
    if (*marks & CALL_EXECUTED) {
        report_refused(number, at);
    }
    *marks |= CALL_REFUSED;
}

static void note_mention(struct truth *truth, unsigned runtime, const char *method, const char *id, int64_t at)
{
    if (!*id || strncmp(method, "List", 4) == 0) {
        return;
    }
    if (strstr(id, "__")) {
        event_violation("runtime %s was asked for %s, which is no id of its own form, in %s", truth->node->runtimes[runtime].name,
                        id, method);
    }
    truth->mentions = sim_grown(truth->mentions, truth->mention_count, sizeof *truth->mentions);
    struct mention *mention = &truth->mentions[truth->mention_count++];
    *mention = (struct mention){.runtime = runtime, .at = at};
    snprintf(mention->id, sizeof mention->id, "%s", id);
    snprintf(mention->method, sizeof mention->method, "%s", method);
}

static void take_effect(struct truth *truth, unsigned runtime, const char *method, struct json_object *line, int64_t at)
{
    struct json_object *request = field_child(line, "request");
    const char *made = field_text(line, "made");
    char pod[TRUTH_ID_SIZE];
    char container[TRUTH_ID_SIZE];
    global_id(truth, runtime, field_text(request, "podSandboxId"), pod);
    global_id(truth, runtime, field_text(request, "containerId"), container);
    if (strcmp(method, "RunPodSandbox") == 0) {
        struct thing *thing = add(truth, THING_POD, runtime, made, at);
        struct json_object *metadata = field_child(field_child(request, "config"), "metadata");
        snprintf(thing->uid, sizeof thing->uid, "%s", field_text(metadata, "uid"));
        thing->call = call_number(line);
    } else if (strcmp(method, "CreateContainer") == 0) {
        struct thing *thing = add(truth, THING_CONTAINER, runtime, made, at);
        put_in_pod(truth, thing, field_text(request, "podSandboxId"));
        thing->call = call_number(line);
    } else if (strcmp(method, "RemovePodSandbox") == 0 || strcmp(method, "RemoveContainer") == 0) {
        struct thing *thing = find(truth, strcmp(method, "RemoveContainer") == 0 ? container : pod);
        if (thing && thing->runtime == runtime && thing->gone == INT64_MAX) {
            end_thing(truth, thing, at);
        }
    }
}

static void take_line(struct truth *truth, unsigned runtime, struct json_object *line)
{
    int64_t at = field_number(line, "at");
    struct json_object *restored = field_child(line, "restored");
    if (restored) {
        take_restored(truth, runtime, restored, at);
    } else {
        const char *path = field_text(line, "method");
        const char *slash = strrchr(path, '/');
        const char *method = slash ? slash + 1 : path;
        struct json_object *request = field_child(line, "request");
        note_execution(truth, runtime, method, line);
        note_mention(truth, runtime, method, field_text(request, "podSandboxId"), at);
        note_mention(truth, runtime, method, field_text(request, "containerId"), at);
        if (strcmp(field_text(line, "code"), "OK") == 0) {
            take_effect(truth, runtime, method, line, at);
        }
        if (truth->on_call) {
            truth->on_call(truth->state, runtime, method, line);
        }
    }
    truth->journals[runtime].latest = at;
}

/* ---- reading ---- */

static void read_journal(struct truth *truth, unsigned runtime)
{
    struct journal *journal = &truth->journals[runtime];
    char path[NODE_PATH_SIZE];
    node_path(truth->node, truth->node->runtimes[runtime].name, "journal", path);
    if (!journal->file && !(journal->file = fopen(path, "re"))) {
        return;
    }
    char *text = NULL;
    size_t size = 0;
    long start = ftell(journal->file);
    ssize_t length;
    while ((length = getline(&text, &size, journal->file)) > 0 && text[length - 1] == '\n') {
        struct json_object *line = json_tokener_parse(text);
        if (line) {
            take_line(truth, runtime, line);
        } else if (!journal_line_is_part(text)) {
            event_violation("the journal of runtime %s has a line that cannot be read", truth->node->runtimes[runtime].name);
        }
        json_object_put(line);
        start = ftell(journal->file);
    }
    fseek(journal->file, start, SEEK_SET); /* before a line that is being written */
    free(text);
}

void truth_read(struct truth *truth)
{
    for (unsigned i = 0; i < RUNTIME_COUNT; i++) {
        read_journal(truth, i);
    }
}

/* Whoever was asked for an id that is another's, while that other had it. */
static void check_mention(const struct truth *truth, const struct mention *mention)
{
    for (unsigned other = 0; other < RUNTIME_COUNT; other++) {
        char global[TRUTH_ID_SIZE];
        global_id(truth, other, mention->id, global);
        const struct thing *thing = find(truth, global);
        if (thing && other == thing->runtime && other != mention->runtime && thing_was_there(thing, mention->at, mention->at)) {
            event_violation_at(mention->at, "runtime %s got %s for %s, which runtime %s holds",
                               truth->node->runtimes[mention->runtime].name, mention->method, mention->id,
                               truth->node->runtimes[other].name);
        }
    }
}

void truth_check_until(struct truth *truth, int64_t time)
{
    size_t kept = 0;
    for (size_t i = 0; i < truth->mention_count; i++) {
        if (truth->mentions[i].at < time) {
            check_mention(truth, &truth->mentions[i]);
        } else {
            truth->mentions[kept++] = truth->mentions[i];
        }
    }
    truth->mention_count = kept;
}
