#include "codegen/method_lists.h"

#include <string.h>

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* A list covers the same runtimes, whichever RPC asks for it. */
static void check_columns(const struct method_row *row, const struct method_row *list)
{
    bool same = same_text(row->route, list->route) && same_text(row->merge, list->merge) &&
                same_text(row->lacking, list->lacking) && same_text(row->away, list->away);
    for (size_t i = 0; i < PLACE_COUNT; i++) {
        same = same && same_text(row->places[i], list->places[i]);
    }
    if (!same) {
        mistake(row->place, "%s: list: but for `log`, `remember` and `list`, its columns must be those of %s", row->name,
                list->name);
    }
    if (strcmp(row->remember, "REMEMBER_NOTHING") != 0) {
        mistake(row->place, "%s: remember: the row of %s decides what is remembered of a streamed list", row->name, list->name);
    }
}

static bool same_fields(const struct message *a, const struct message *b)
{
    bool same = a->field_count == b->field_count;
    for (size_t i = 0; same && i < a->field_count; i++) {
        same = a->fields[i].number == b->fields[i].number && field_same_shape(&a->fields[i], &b->fields[i]);
    }
    return same;
}

/* The gateway uses the request of one RPC as that of the other, and splits a list into the messages of a stream. */
static void check_messages(const struct method_row *row, const struct rpc *stream, const struct rpc *list)
{
    if (!same_fields(stream->request, list->request)) {
        mistake(row->place, "%s: list: %s and %s have not the same fields", row->name, stream->request->name,
                list->request->name);
    }
    const struct message *items = stream->response;
    bool repeats = items->field_count == 1 && items->fields[0].repeated && items->fields[0].message != NULL;
    if (!repeats || !same_fields(items, list->response)) {
        mistake(row->place, "%s: list: %s and %s must be the same one repeated message", row->name, items->name,
                list->response->name);
    }
}

static void check_shape(const struct method_row *row, const struct method_row *list, const struct schema *schema)
{
    for (size_t i = 0; i < schema->dialect_count; i++) {
        const struct rpc *stream = dialect_rpc(&schema->dialects[i], row->service, row->name);
        const struct rpc *whole = dialect_rpc(&schema->dialects[i], list->service, list->name);
        if (stream != NULL && whole == NULL) {
            mistake(row->place, "%s: list: %s has no %s", row->name, schema->dialects[i].name, list->name);
        } else if (stream != NULL) {
            check_messages(row, stream, whole);
        }
    }
}

void method_lists_check(const struct methods *methods, const struct method_row *row, const struct schema *schema)
{
    if (row->list == NULL) {
        return;
    }
    const struct rpc *rpc = methods_newest(row, schema);
    const struct method_row *list = methods_row(methods, row->service, row->list);
    const struct rpc *whole = list == NULL ? NULL : methods_newest(list, schema);
    if (whole == NULL || whole->server_stream || !rpc->server_stream) {
        mistake(row->place, "%s: list: a streaming RPC names one of its service that answers the same at once, and %s is none",
                row->name, row->list);
        return;
    }
    check_columns(row, list);
    check_shape(row, list, schema);
}
