/* What the journals of plugins and runtimes have of hooks and of the calls to which these belong, brought together by keys: the
   same for a call and for its hooks. One thread's. */
#pragma once

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/faults/plugins.h"
#include "tests/faults/truth.h"

#define HOOK_KEY_SIZE 160

/* A hook, as the plugin recorded it when it ended. */
struct hook_line {
    enum stage stage;
    unsigned plugin;
    unsigned place; /* of the plugin: lines of one place are in the order in which it received them */
    bool ok;        /* it was answered, as far as the plugin knows */
    int64_t received;
    int64_t at; /* right before the answer was sent */
    char uid[TRUTH_UID_SIZE];
    struct json_object *labels; /* of the pod; NULL: none */
    char parent[64];            /* cgroup parent of the pod */
    int64_t quota;              /* of the container, as it was sent to the plugin */
    struct hook_record *record;
    struct hook_line *next; /* of the record */
};

/* A call that a runtime got. */
struct hooked_call {
    enum stage stage; /* of its only hook, or of that before it */
    unsigned number;  /* of the client's call */
    unsigned runtime;
    bool ok;    /* the runtime answered OK */
    int64_t at; /* after it took effect */
    char uid[TRUTH_UID_SIZE];
    const struct thing *thing; /* that it is about; NULL: none, or not known */
    struct json_object *request;
    struct hook_record *record;
    struct hooked_call *next; /* of the record */
};

struct hook_record {
    char key[HOOK_KEY_SIZE];
    struct hook_line *lines;
    struct hooked_call *calls;
    struct hook_record *next; /* in its bucket */
};

/* What get each new line and call. */
typedef void new_hook_line(void *state, struct hook_line *line);
typedef void new_hooked_call(void *state, struct hooked_call *call);

struct hook_lines;

struct hook_lines *hook_lines_new(const struct node *node, new_hook_line *on_line, new_hooked_call *on_call, void *state);
void hook_lines_free(struct hook_lines *lines);

/* Reads what was appended to the journals of plugins. */
void hook_lines_read(struct hook_lines *lines);

/* Takes a line of a runtime's journal, if it is about a call that has hooks. */
void hook_lines_take_call(struct hook_lines *lines, const struct truth *truth, unsigned runtime, const char *method,
                          struct json_object *line);

/* What is there about a stage of a pod, by its uid, or of a container, by its id; NULL: nothing. */
struct hook_record *hook_lines_find(const struct hook_lines *lines, enum stage stage, const char *id);
