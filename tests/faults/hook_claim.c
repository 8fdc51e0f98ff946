#include "tests/faults/hook_claim.h"

#include <stdlib.h>
#include <string.h>

#include "sim/common/fields.h"
#include "sim/common/memory.h"
#include "tests/faults/call.h"
#include "tests/faults/event.h"
#include "tests/faults/hook_lines.h"

/* Deadlines are whole milliseconds of different clocks. */
#define ROUNDING_MS 5

enum checked {
    CHECKED_ORDER,    /* hooks that ended in time, and their calls */
    CHECKED_DEMANDED, /* calls that a plugin had to see, and to change */
    CHECKED_MEMORY,   /* hooks of later stages, against what the runtime got when the pod was made */
    CHECKED_PARENT,   /* calls, likewise */
    CHECKED_AFTER,    /* hooks after calls */
    CHECKED_SEQUENCE, /* of hooks after the start and after the stop */
    CHECKED_UNHOOKED, /* calls for pods that want no hooks */
    CHECKED_COUNT,
};

static const char *const checked_names[CHECKED_COUNT] = {
    [CHECKED_ORDER] = "hooks that ended before their call went on",
    [CHECKED_DEMANDED] = "calls that had to have a plugin's changes",
    [CHECKED_MEMORY] = "hooks that had to know what changed before",
    [CHECKED_PARENT] = "containers in the pod's cgroup",
    [CHECKED_AFTER] = "hooks after calls",
    [CHECKED_SEQUENCE] = "of these a start and a stop",
    [CHECKED_UNHOOKED] = "calls without hooks",
};

struct queue {
    void **items;
    size_t count;
};

struct hook_claims {
    const struct node *node;
    const struct history *history;
    struct hook_lines *lines;
    struct queue new_lines; /* not checked yet */
    struct queue new_calls;
    unsigned checked[CHECKED_COUNT];
};

static void push(struct queue *queue, void *item)
{
    queue->items = sim_grown(queue->items, queue->count, sizeof(void *));
    queue->items[queue->count++] = item;
}

static void take_line(void *state, struct hook_line *line)
{
    struct hook_claims *claims = state;
    push(&claims->new_lines, line);
}

static void take_call(void *state, struct hooked_call *call)
{
    struct hook_claims *claims = state;
    push(&claims->new_calls, call);
}

struct hook_claims *hook_claims_new(const struct node *node, const struct history *history)
{
    struct hook_claims *claims = sim_zeroed(1, sizeof *claims);
    claims->node = node;
    claims->history = history;
    claims->lines = hook_lines_new(node, take_line, take_call, claims);
    return claims;
}

void hook_claims_free(struct hook_claims *claims)
{
    hook_lines_free(claims->lines);
    free(claims->new_lines.items);
    free(claims->new_calls.items);
    free(claims);
}

void hook_claims_take_call(struct hook_claims *claims, const struct truth *truth, unsigned runtime, const char *method,
                           struct json_object *line)
{
    hook_lines_take_call(claims->lines, truth, runtime, method, line);
}

void hook_claims_read(struct hook_claims *claims)
{
    hook_lines_read(claims->lines);
}

/* ---- what is known of a pod ---- */

/* The call that made it; NULL: not known. */
static const struct hooked_call *making_of(const struct hook_claims *claims, const char *uid)
{
    const struct hook_record *record = hook_lines_find(claims->lines, STAGE_PRE_RUN_POD, uid);
    const struct hooked_call *call = record ? record->calls : NULL;
    while (call && !call->ok) {
        call = call->next;
    }
    return call;
}

static struct json_object *config_of(const struct hooked_call *call)
{
    return field_child(call->request, "config");
}

static const char *parent_of(const struct hooked_call *making)
{
    return field_text(field_child(config_of(making), "linux"), "cgroupParent");
}

/* Whether the gateway must know the cgroup parent: it has answered, or the runtime reports it. */
static bool parent_is_known(const struct hook_claims *claims, const struct hooked_call *making)
{
    return call_succeeded(making->number) || strcmp(claims->node->runtimes[making->runtime].verbose_info, "plain") != 0;
}

/* Whether what a gateway learned from its answer was only handed over to one that was killed. */
static bool may_be_forgotten(const struct hook_claims *claims, const struct hooked_call *making)
{
    return history_may_have_forgotten(claims->history, call_began(making->number), making->at);
}

static bool wants_no_hooks(struct json_object *labels)
{
    return strcmp(field_text(labels, NODE_SKIP_LABEL), NODE_SKIP_VALUE) == 0;
}

/* ---- calls ---- */

/* A hook cannot have ended for another reason than its answer before that. */
static int64_t patience_of(const struct hooked_call *call)
{
    int64_t half = call_timeout(call->number) / 2;
    int64_t least = half < NODE_PLUGIN_TIMEOUT ? half : NODE_PLUGIN_TIMEOUT;
    return call_began(call->number) + (least - ROUNDING_MS) * NANOSECONDS_A_MILLISECOND;
}

/* The key tells hooks of all other calls apart, but for starts. */
static void check_order(struct hook_claims *claims, const struct hooked_call *call)
{
    if (call->stage == STAGE_PRE_START) {
        return;
    }
    for (const struct hook_line *line = call->record->lines; line; line = line->next) {
        if (!line->ok || line->at >= patience_of(call)) {
            continue;
        }
        claims->checked[CHECKED_ORDER]++;
        if (line->at > call->at) {
            event_violation_at(call->at, "call %u, %s, reached a runtime %.1f ms before the answer of plugin %s", call->number,
                               call->record->key, (double)(line->at - call->at) / NANOSECONDS_A_MILLISECOND,
                               plugin_names[line->plugin]);
        }
    }
}

/* What the plugin answered in the course of the call; NULL: nothing. Another call with the same key may be meant, so that an
   answer proves less than its absence. */
static const struct hook_line *answer_of(const struct hooked_call *call, unsigned plugin)
{
    const struct hook_line *line = call->record->lines;
    while (line && !(line->plugin == plugin && line->ok && line->at <= call->at && line->at >= call_began(call->number))) {
        line = line->next;
    }
    return line;
}

/* An update is sent what is new to the container. */
static bool has_changes(const struct hooked_call *call, const struct hook_line *answer)
{
    char mark[64];
    snprintf(mark, sizeof mark, PLUGIN_LABEL "%s", plugin_names[answer->plugin]);
    switch (call->stage) {
    case STAGE_PRE_RUN_POD:
        return *field_text(field_child(config_of(call), "labels"), mark) && strcmp(parent_of(call), PLUGIN_CGROUP_PARENT) == 0;
    case STAGE_PRE_CREATE:
        return *field_text(field_child(config_of(call), "annotations"), mark);
    case STAGE_PRE_UPDATE:
        return answer->quota == PLUGIN_QUOTA || field_number(field_child(call->request, "linux"), "cpuQuota") == PLUGIN_QUOTA;
    default:
        return true;
    }
}

/* What does not exist has no hooks: the runtime is asked, and refuses. */
static void check_demanded(struct hook_claims *claims, const struct hooked_call *call)
{
    int64_t began = call_began(call->number);
    bool exists = call->stage == STAGE_PRE_RUN_POD || (call->thing && thing_was_there(call->thing, began, call->at));
    if (!exists || !history_called(claims->history, PLUGIN_THAT_FAILS, call->stage, began, call->at)) {
        return;
    }
    claims->checked[CHECKED_DEMANDED]++;
    const struct hook_line *answer = answer_of(call, PLUGIN_THAT_FAILS);
    if (!answer) {
        event_violation_at(call->at,
                           "call %u, %s, reached a runtime without an answer of plugin %s, whose failure fails the call",
                           call->number, call->record->key, plugin_names[PLUGIN_THAT_FAILS]);
    } else if (!has_changes(call, answer)) {
        event_violation_at(call->at, "call %u, %s, reached a runtime without what plugin %s has changed", call->number,
                           call->record->key, plugin_names[PLUGIN_THAT_FAILS]);
    }
}

static void check_parent(struct hook_claims *claims, const struct hooked_call *call, const struct hooked_call *making)
{
    struct json_object *pod = field_child(call->request, "sandboxConfig");
    const char *parent = field_text(field_child(pod, "linux"), "cgroupParent");
    claims->checked[CHECKED_PARENT]++;
    if (strcmp(parent, parent_of(making)) != 0) {
        event_violation_at(call->at, "call %u, %s, has the cgroup parent \"%s\", but its pod has \"%s\"", call->number,
                           call->record->key, parent, parent_of(making));
    }
}

static void check_call(struct hook_claims *claims, const struct hooked_call *call)
{
    const struct hooked_call *making = making_of(claims, call->uid);
    if (call->number == 0 || call->stage == STAGE_POST_STOP || call->stage == STAGE_POST_STOP_POD) {
        return;
    }
    if (call->stage == STAGE_PRE_CREATE && making && !may_be_forgotten(claims, making)) {
        check_parent(claims, call, making);
    }
    if (wants_no_hooks(field_child(config_of(making ? making : call), "labels"))) {
        claims->checked[CHECKED_UNHOOKED]++; /* by check_line */
    } else if (making || call->stage == STAGE_PRE_RUN_POD) {
        check_order(claims, call);
        check_demanded(claims, call);
    }
}

/* ---- hooks ---- */

static void check_memory(struct hook_claims *claims, const struct hook_line *line)
{
    const struct hooked_call *making = making_of(claims, line->uid);
    if (!making || may_be_forgotten(claims, making)) {
        return; /* or the runtime was killed before it could record that */
    }
    claims->checked[CHECKED_MEMORY]++;
    if (!field_map_has(line->labels, field_child(config_of(making), "labels"))) {
        event_violation_at(line->received, "plugin %s got %s with the labels %s, but the pod was made with %s",
                           plugin_names[line->plugin], line->record->key, json_object_to_json_string(line->labels),
                           json_object_to_json_string(field_child(config_of(making), "labels")));
    }
    if (parent_is_known(claims, making) && strcmp(line->parent, parent_of(making)) != 0) {
        event_violation_at(line->received, "plugin %s got %s with the cgroup parent \"%s\", but the pod was made with \"%s\"",
                           plugin_names[line->plugin], line->record->key, line->parent, parent_of(making));
    }
}

/* The first call of that record that a runtime answered OK; NULL: none. */
static const struct hooked_call *success_of(const struct hook_record *record)
{
    const struct hooked_call *first = NULL;
    for (const struct hooked_call *call = record ? record->calls : NULL; call; call = call->next) {
        first = call->ok && (!first || call->at < first->at) ? call : first;
    }
    return first;
}

static bool is_after(enum stage stage)
{
    return stage == STAGE_POST_START || stage == STAGE_POST_STOP || stage == STAGE_POST_STOP_POD;
}

/* Whether the plugin got the hook after a stop once more, later, although the gateway knew. */
static bool is_repeated(const struct hook_claims *claims, const struct hook_line *line, const struct hooked_call *success)
{
    const struct hook_line *other = line->record->lines;
    while (other && (other == line || other->plugin != line->plugin || other->received < line->received)) {
        other = other->next;
    }
    return other && !(success && history_may_have_forgotten(claims->history, success->at, line->received));
}

static void check_after(struct hook_claims *claims, const struct hook_line *line, const struct hooked_call *success)
{
    claims->checked[CHECKED_AFTER]++;
    if (!success || success->at > line->received) {
        event_violation_at(line->received, "plugin %s got %s, but no runtime had answered OK", plugin_names[line->plugin],
                           line->record->key);
    }
    if (line->stage != STAGE_POST_START && is_repeated(claims, line, success)) {
        event_violation_at(line->received, "plugin %s got %s twice", plugin_names[line->plugin], line->record->key);
    }
}

/* Two gateways have two connections, which a plugin that was stopped may read in any order. */
static void check_sequence(struct hook_claims *claims, const struct hook_line *start, const char *container)
{
    const struct hooked_call *success = success_of(hook_lines_find(claims->lines, STAGE_PRE_START, container));
    const struct hook_record *stops = hook_lines_find(claims->lines, STAGE_POST_STOP, container);
    for (const struct hook_line *stop = stops ? stops->lines : NULL; success && stop; stop = stop->next) {
        int64_t began = call_began(success->number);
        if (stop->plugin != start->plugin || stop->place != start->place) {
            continue;
        }
        claims->checked[CHECKED_SEQUENCE]++;
        if (start->received > stop->received && history_gateway_served(claims->history, began, start->received)) {
            event_violation_at(start->received, "plugin %s got %s after the hook of its stop", plugin_names[start->plugin],
                               start->record->key);
        }
    }
}

static void check_line(struct hook_claims *claims, const struct hook_line *line)
{
    char container[TRUTH_ID_SIZE] = "";
    sscanf(line->record->key, "%*s %79s", container);
    if (wants_no_hooks(line->labels)) {
        event_violation_at(line->received, "plugin %s got %s, whose pod wants no hooks", plugin_names[line->plugin],
                           line->record->key);
    }
    if (line->stage != STAGE_PRE_RUN_POD) {
        check_memory(claims, line);
    }
    if (line->stage == STAGE_POST_START) {
        check_after(claims, line, success_of(hook_lines_find(claims->lines, STAGE_PRE_START, container)));
        check_sequence(claims, line, container);
    } else if (is_after(line->stage)) {
        check_after(claims, line, success_of(line->record));
    }
}

/* ---- all ---- */

void hook_claims_check(struct hook_claims *claims, int64_t until)
{
    size_t kept = 0;
    for (size_t i = 0; i < claims->new_calls.count; i++) {
        struct hooked_call *call = claims->new_calls.items[i];
        if (call->at < until) {
            check_call(claims, call);
        } else {
            claims->new_calls.items[kept++] = call;
        }
    }
    claims->new_calls.count = kept;
    kept = 0;
    for (size_t i = 0; i < claims->new_lines.count; i++) {
        struct hook_line *line = claims->new_lines.items[i];
        if (line->at < until) {
            check_line(claims, line);
        } else {
            claims->new_lines.items[kept++] = line;
        }
    }
    claims->new_lines.count = kept;
}

const char *hook_claims_never_checked(const struct hook_claims *claims)
{
    for (unsigned i = 0; i < CHECKED_COUNT; i++) {
        if (claims->checked[i] == 0) {
            return checked_names[i];
        }
    }
    return NULL;
}

void hook_claims_print(const struct hook_claims *claims, FILE *out)
{
    fprintf(out, "checked of hooks:");
    for (unsigned i = 0; i < CHECKED_COUNT; i++) {
        fprintf(out, "%s %u %s", i > 0 ? "," : "", claims->checked[i], checked_names[i]);
    }
    fputc('\n', out);
}
