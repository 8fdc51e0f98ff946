#include "codegen/method_checks.h"

#include <string.h>

#include "codegen/memory.h"
#include "codegen/method_lists.h"

/* The columns that a route or a merge requires. */
static const struct {
    const char *constant;
    enum place_word place;
} needs[] = {
    {"ROUTE_POD", PLACE_POD},         {"ROUTE_CONTAINER", PLACE_CONTAINER}, {"ROUTE_NEW_POD", PLACE_SANDBOX},
    {"ROUTE_NEW_POD", PLACE_HANDLER}, {"ROUTE_IMAGE", PLACE_IMAGE},         {"ROUTE_PULL", PLACE_IMAGE},
    {"ROUTE_PULL", PLACE_SANDBOX},    {"MERGE_STATUS", PLACE_VERBOSE},
};

/* Reports each RPC without a row once, for the newest dialect that has it. */
static void check_rpcs(const struct methods *methods, const struct schema *schema)
{
    for (size_t i = 0; i < schema->dialect_count; i++) {
        for (size_t j = 0; j < schema->dialects[i].rpc_count; j++) {
            const struct rpc *rpc = &schema->dialects[i].rpcs[j];
            const struct method_row row = {.service = rpc->service, .name = rpc->name};
            if (methods_row(methods, rpc->service, rpc->name) == NULL && methods_newest(&row, schema) == rpc) {
                mistake((struct place){methods->file, 0, 0}, "%s has the RPC %s.%s: add its row to methods.yaml under %s",
                        schema->dialects[i].name, rpc->service, rpc->name, rpc->service);
            }
        }
    }
}

/* Exactly the RPCs that some dialect lacks need an entry under `without`. */
static void check_without(const struct method_row *row, const struct schema *schema)
{
    bool lacking = false;
    for (size_t i = 0; i < schema->dialect_count; i++) {
        lacking = lacking || dialect_rpc(&schema->dialects[i], row->service, row->name) == NULL;
    }
    if (lacking && row->without == NULL) {
        mistake(row->place, "%s: not every dialect has it: write under `without` what that means for its caller", row->name);
    } else if (!lacking && row->without != NULL) {
        mistake(row->place, "%s: every dialect has it: remove it from `without`", row->name);
    }
}

static void check_places(const struct method_row *row, const struct rpc *rpc)
{
    for (size_t i = 0; i < PLACE_COUNT; i++) {
        const struct field *last;
        if (row->places[i] == NULL) {
            continue;
        }
        if (methods_resolve(rpc->request, row->places[i], &last).depth == 0) {
            mistake(row->place, "%s: %s: %s has no %s", row->name, method_places[i].word, rpc->request->name, row->places[i]);
        } else if (last->repeated || strcmp(last->type_name, method_places[i].type) != 0) {
            mistake(row->place, "%s: %s: %s.%s is %s, not %s", row->name, method_places[i].word, rpc->request->name,
                    row->places[i], field_type_text(last), method_places[i].type);
        }
    }
}

static void check_needs(const struct method_row *row)
{
    for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
        bool needed = strcmp(needs[i].constant, row->route) == 0 || strcmp(needs[i].constant, row->merge) == 0;
        if (needed && row->places[needs[i].place] == NULL) {
            mistake(row->place, "%s: `%s` is missing: its route or merge needs it", row->name,
                    method_places[needs[i].place].word);
        }
    }
}

/* Messages in sequence are one message only if all their fields are repeated; messages of a stream stay separate. */
static void check_merge(const struct method_row *row, const struct rpc *rpc)
{
    bool events = strcmp(row->merge, "MERGE_EVENTS") == 0;
    if (events != (rpc->server_stream && row->list == NULL)) {
        mistake(row->place, "%s: merge: only a streaming RPC without `list` has events, and it has nothing else", row->name);
    }
    static const char *const sequences[] = {"MERGE_CONCAT", "MERGE_FILESYSTEMS", "MERGE_DESCRIPTORS"};
    bool joined = false;
    for (size_t i = 0; i < sizeof(sequences) / sizeof(sequences[0]); i++) {
        joined = joined || strcmp(row->merge, sequences[i]) == 0;
    }
    if (!joined || rpc->server_stream) {
        return;
    }
    for (size_t i = 0; i < rpc->response->field_count; i++) {
        if (!rpc->response->fields[i].repeated) {
            mistake(row->place, "%s: merge: answers cannot stand in sequence: %s.%s is not repeated", row->name,
                    rpc->response->name, rpc->response->fields[i].name);
        }
    }
}

/* A route to all has several answers, every other route has one. */
static void check_answers(const struct method_row *row)
{
    bool several = strcmp(row->route, "ROUTE_ALL") == 0;
    if (several == (strcmp(row->merge, "MERGE_NONE") == 0)) {
        mistake(row->place, "%s: route and merge disagree: only `route: all` has several answers to merge", row->name);
    }
}

/* A point is one RPC, for one runtime, and about the pod or container that its places name. */
static void check_hook(const struct methods *methods, const struct method_row *row)
{
    if (strcmp(row->hook, "HOOK_NONE") == 0) {
        return;
    }
    if (strcmp(row->merge, "MERGE_NONE") != 0) {
        mistake(row->place, "%s: hook: plugins are called for one runtime, and this call goes to several", row->name);
    }
    if (row->places[PLACE_POD] == NULL && row->places[PLACE_CONTAINER] == NULL && row->places[PLACE_SANDBOX] == NULL) {
        mistake(row->place, "%s: hook: the row names no pod or container for the plugins", row->name);
    }
    for (const struct method_row *other = methods->rows; other < row; other++) {
        if (strcmp(other->hook, row->hook) == 0) {
            mistake(row->place, "%s: hook: %s has this one already", row->name, other->name);
        }
    }
}

/* A call whose answer is another call's must not have been meant to do something. */
static void check_shared(const struct method_row *row, const struct rpc *rpc)
{
    if (row->shared && (strcmp(row->access, "ACCESS_CHANGE") == 0 || rpc->server_stream || strcmp(row->hook, "HOOK_NONE") != 0 ||
                        strcmp(row->remember, "REMEMBER_NOTHING") != 0)) {
        mistake(row->place,
                "%s: shared: only calls that change nothing, answer with one message, and of which nothing is remembered",
                row->name);
    }
}

/* A read-only socket clears the flag, as the answer may have secrets. */
static void check_verbose(const struct method_row *row, const struct rpc *rpc)
{
    if (row->places[PLACE_VERBOSE] == NULL && methods_resolve(rpc->request, "verbose", NULL).depth > 0) {
        mistake(row->place, "%s: verbose: the request has such a flag: name it", row->name);
    }
}

/* Whether one of the row's places is that path, or is inside of it. */
static bool is_peeked(const struct method_row *row, const char *path)
{
    for (size_t i = 0; i < PLACE_COUNT; i++) {
        size_t length = row->places[i] == NULL ? 0 : strlen(row->places[i]);
        if (length > 0 && strncmp(row->places[i], path, length) == 0 && (path[length] == '\0' || path[length] == '.')) {
            return true;
        }
    }
    return false;
}

/* Names in a request that routing does not read: crigate would then send them to runtimes that they do not belong to. */
static void check_names(const struct method_row *row, const struct message *message, const char *prefix,
                        const struct rules *rules)
{
    for (size_t i = 0; i < message->field_count; i++) {
        const struct field *field = &message->fields[i];
        const char *path = memory_format("%s%s", prefix, field->name);
        bool config = field->message != NULL && (strcmp(field->type_name, model_part_message(PART_POD)) == 0 ||
                                                 strcmp(field->type_name, model_part_message(PART_CONTAINER)) == 0);
        if (field->repeated || config || is_peeked(row, path)) {
            continue;
        }
        if (field->message != NULL) {
            check_names(row, field->message, memory_format("%s.", path), rules);
        } else if (strcmp(listed_constant(&rules->names, message->name, field->name, "NAME_NONE"), "NAME_NONE") != 0) {
            mistake(row->place, "%s: %s is a name that routing needs: give it as pod, container, image or handler", row->name,
                    path);
        }
    }
}

void methods_check(const struct methods *methods, const struct schema *schema, const struct rules *rules)
{
    check_rpcs(methods, schema);
    for (size_t i = 0; i < methods->count; i++) {
        const struct method_row *row = &methods->rows[i];
        const struct rpc *rpc = methods_newest(row, schema);
        if (rpc == NULL) {
            mistake(row->place, "%s.%s is an RPC of no dialect: remove it", row->service, row->name);
            continue;
        }
        for (size_t j = 0; j < i; j++) {
            if (strcmp(methods->rows[j].name, row->name) == 0) {
                mistake(row->place, "%s is an RPC of two services, and methods are found by name", row->name);
            }
        }
        check_without(row, schema);
        check_places(row, rpc);
        check_needs(row);
        check_merge(row, rpc);
        check_answers(row);
        check_hook(methods, row);
        check_shared(row, rpc);
        check_verbose(row, rpc);
        check_names(row, rpc->request, "", rules);
        method_lists_check(methods, row, schema);
    }
}
