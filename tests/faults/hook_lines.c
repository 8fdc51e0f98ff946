#include "tests/faults/hook_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/common/fields.h"
#include "sim/common/journal_line.h"
#include "sim/common/memory.h"
#include "sim/ids.h"
#include "tests/faults/call.h"
#include "tests/faults/event.h"

#define BUCKETS 16384

struct journals {
    FILE **files; /* by place; NULL until it is there */
    size_t count;
};

struct hook_lines {
    const struct node *node;
    new_hook_line *on_line;
    new_hooked_call *on_call;
    void *state;
    struct journals journals[PLUGIN_COUNT];
    struct hook_record *buckets[BUCKETS];
};

struct hook_lines *hook_lines_new(const struct node *node, new_hook_line *on_line, new_hooked_call *on_call, void *state)
{
    struct hook_lines *lines = sim_zeroed(1, sizeof *lines);
    lines->node = node;
    lines->on_line = on_line;
    lines->on_call = on_call;
    lines->state = state;
    return lines;
}

static void free_record(struct hook_record *record)
{
    while (record->lines) {
        struct hook_line *line = record->lines;
        record->lines = line->next;
        json_object_put(line->labels);
        free(line);
    }
    while (record->calls) {
        struct hooked_call *call = record->calls;
        record->calls = call->next;
        json_object_put(call->request);
        free(call);
    }
    free(record);
}

void hook_lines_free(struct hook_lines *lines)
{
    for (unsigned plugin = 0; plugin < PLUGIN_COUNT; plugin++) {
        for (size_t i = 0; i < lines->journals[plugin].count; i++) {
            if (lines->journals[plugin].files[i]) {
                fclose(lines->journals[plugin].files[i]);
            }
        }
        free(lines->journals[plugin].files);
    }
    for (size_t i = 0; i < BUCKETS; i++) {
        while (lines->buckets[i]) {
            struct hook_record *record = lines->buckets[i];
            lines->buckets[i] = record->next;
            free_record(record);
        }
    }
    free(lines);
}

/* ---- records ---- */

static struct hook_record *find(const struct hook_lines *lines, const char *key)
{
    struct hook_record *record = lines->buckets[hash_of_bytes(key, strlen(key), 0) % BUCKETS];
    while (record && strcmp(record->key, key) != 0) {
        record = record->next;
    }
    return record;
}

static struct hook_record *find_or_add(struct hook_lines *lines, const char *key)
{
    struct hook_record *record = find(lines, key);
    if (!record) {
        struct hook_record **bucket = &lines->buckets[hash_of_bytes(key, strlen(key), 0) % BUCKETS];
        record = sim_zeroed(1, sizeof *record);
        snprintf(record->key, sizeof record->key, "%s", key);
        record->next = *bucket;
        *bucket = record;
    }
    return record;
}

/* A creation is told from others by the attempt, an update by the shares. */
static void make_key(enum stage stage, const char *id, int64_t number, char key[HOOK_KEY_SIZE])
{
    snprintf(key, HOOK_KEY_SIZE, "%s %s %lld", stage_names[stage], id, (long long)number);
}

struct hook_record *hook_lines_find(const struct hook_lines *lines, enum stage stage, const char *id)
{
    char key[HOOK_KEY_SIZE];
    make_key(stage, id, 0, key);
    return find(lines, key);
}

/* ---- journals of plugins ---- */

static bool is_about_pod(enum stage stage)
{
    return stage == STAGE_PRE_RUN_POD || stage == STAGE_POST_STOP_POD;
}

static void key_of_hook(enum stage stage, struct json_object *request, char key[HOOK_KEY_SIZE])
{
    const char *uid = field_text(field_child(request, "podMeta"), "uid");
    struct json_object *container = field_child(request, "containerMeta");
    if (is_about_pod(stage)) {
        make_key(stage, uid, 0, key);
    } else if (stage == STAGE_PRE_CREATE) {
        make_key(stage, uid, field_number(container, "attempt"), key);
    } else {
        struct json_object *resources = field_child(request, "containerResources");
        make_key(stage, field_text(container, "id"), stage == STAGE_PRE_UPDATE ? field_number(resources, "cpuShares") : 0, key);
    }
}

static void take_hook(struct hook_lines *lines, unsigned plugin, unsigned place, struct json_object *text)
{
    char key[HOOK_KEY_SIZE];
    const char *name = field_text(text, "hook");
    struct json_object *request = field_child(text, "request");
    enum stage stage = 0;
    while (stage < STAGE_COUNT && strcmp(stage_names[stage], name) != 0) {
        stage++;
    }
    if (stage == STAGE_COUNT || !request) {
        return; /* a probe */
    }
    struct hook_line *line = sim_zeroed(1, sizeof *line);
    bool of_pod = is_about_pod(stage);
    *line = (struct hook_line){.stage = stage, .plugin = plugin, .place = place};
    line->ok = strcmp(field_text(text, "code"), "OK") == 0;
    line->received = field_number(text, "received");
    line->at = field_number(text, "at");
    line->quota = field_number(field_child(request, "containerResources"), "cpuQuota");
    line->labels = json_object_get(field_child(request, of_pod ? "labels" : "podLabels"));
    snprintf(line->uid, sizeof line->uid, "%s", field_text(field_child(request, "podMeta"), "uid"));
    snprintf(line->parent, sizeof line->parent, "%s", field_text(request, of_pod ? "cgroupParent" : "podCgroupParent"));
    key_of_hook(stage, request, key);
    line->record = find_or_add(lines, key);
    line->next = line->record->lines;
    line->record->lines = line;
    lines->on_line(lines->state, line);
}

static void read_journal(struct hook_lines *lines, unsigned plugin, unsigned place, FILE **file)
{
    char path[NODE_PATH_SIZE];
    plugin_path(lines->node, plugin, place, "journal", path);
    if (!*file && !(*file = fopen(path, "re"))) {
        return;
    }
    char *text = NULL;
    size_t size = 0;
    long start = ftell(*file);
    ssize_t length;
    while ((length = getline(&text, &size, *file)) > 0 && text[length - 1] == '\n') {
        struct json_object *line = json_tokener_parse(text);
        if (line) {
            take_hook(lines, plugin, place, line);
        } else if (!journal_line_is_part(text)) {
            event_violation("the journal of plugin %s has a line that cannot be read", plugin_names[plugin]);
        }
        json_object_put(line);
        start = ftell(*file);
    }
    fseek(*file, start, SEEK_SET); /* before a line that is being written */
    free(text);
}

void hook_lines_read(struct hook_lines *lines)
{
    for (unsigned plugin = 0; plugin < PLUGIN_COUNT; plugin++) {
        struct journals *journals = &lines->journals[plugin];
        size_t places = lines->node->plugins[plugin].place + 1;
        while (journals->count < places) {
            journals->files = sim_grown(journals->files, journals->count, sizeof(FILE *));
            journals->files[journals->count++] = NULL;
        }
        for (unsigned place = 0; place < places; place++) {
            read_journal(lines, plugin, place, &journals->files[place]);
        }
    }
}

/* ---- journals of runtimes ---- */

static bool stage_of_method(const char *method, enum stage *stage)
{
    static const char *const methods[STAGE_COUNT] = {
        [STAGE_PRE_RUN_POD] = "RunPodSandbox", [STAGE_PRE_CREATE] = "CreateContainer",
        [STAGE_PRE_START] = "StartContainer",  [STAGE_PRE_UPDATE] = "UpdateContainerResources",
        [STAGE_POST_STOP] = "StopContainer",   [STAGE_POST_STOP_POD] = "StopPodSandbox",
    };
    for (*stage = 0; *stage < STAGE_COUNT; (*stage)++) {
        if (methods[*stage] && strcmp(methods[*stage], method) == 0) {
            return true;
        }
    }
    return false;
}

static void key_of_call(const struct hooked_call *call, char key[HOOK_KEY_SIZE])
{
    struct json_object *config = field_child(call->request, "config");
    if (is_about_pod(call->stage)) {
        make_key(call->stage, call->uid, 0, key);
    } else if (call->stage == STAGE_PRE_CREATE) {
        make_key(call->stage, call->uid, field_number(field_child(config, "metadata"), "attempt"), key);
    } else {
        struct json_object *resources = field_child(call->request, "linux");
        make_key(call->stage, field_text(call->request, "containerId"), field_number(resources, "cpuShares"), key);
    }
}

void hook_lines_take_call(struct hook_lines *lines, const struct truth *truth, unsigned runtime, const char *method,
                          struct json_object *text)
{
    enum stage stage;
    char key[HOOK_KEY_SIZE];
    struct json_object *request = field_child(text, "request");
    if (!stage_of_method(method, &stage) || !request) {
        return;
    }
    struct hooked_call *call = sim_zeroed(1, sizeof *call);
    *call = (struct hooked_call){.stage = stage, .runtime = runtime, .request = json_object_get(request)};
    call->number = (unsigned)field_number(field_child(text, "metadata"), CALL_NUMBER_KEY);
    call->ok = strcmp(field_text(text, "code"), "OK") == 0;
    call->at = field_number(text, "at");
    const char *uid = field_text(field_child(field_child(request, "config"), "metadata"), "uid");
    if (stage != STAGE_PRE_RUN_POD) {
        bool of_pod = stage == STAGE_PRE_CREATE || stage == STAGE_POST_STOP_POD;
        call->thing = truth_find_own(truth, runtime, field_text(request, of_pod ? "podSandboxId" : "containerId"));
        uid = call->thing ? call->thing->uid : "";
    }
    snprintf(call->uid, sizeof call->uid, "%s", uid);
    key_of_call(call, key);
    call->record = find_or_add(lines, key);
    call->next = call->record->calls;
    call->record->calls = call;
    lines->on_call(lines->state, call);
}
