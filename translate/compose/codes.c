/* Codes for runtimes that only answer UNKNOWN. */
#include "generated/functions.h"
#include "model/api.pb-c.h"
#include "translate/compose/compose.h"
#include "translate/lists/item.h"
#include "translate/schema/peek.h"

/* Runtimes accept the beginning of an id, too. */
static bool lists(const struct composing *composing, enum id_kind kind, struct bytes id, bool *found, struct error *error)
{
    struct list_items items = list_items_of(kind, DIALECT_MODEL, composing->answers[0]);
    struct list_item item;
    *found = false;
    while (list_items_next(&items, &item)) {
        *found = *found || bytes_start_with(item.id, id);
    }
    return !items.malformed || error_set(error, STATUS_INTERNAL, "a list of runtime %s cannot be read", composing->runtime_name);
}

/* A failure of a call about a pod or container becomes NOT_FOUND if a complete list does not contain it. A list with a filter by
   id does not serve: some runtimes fail for that, too, if the id does not exist. */
bool compose_absence(struct composing *composing, struct error *error)
{
    struct bytes request;
    bool found;
    if (!composing_request(composing, &request, error)) {
        return false;
    }
    struct bytes id = peek_bytes(composing->method, DIALECT_MODEL, PEEK_CONTAINER, request);
    enum id_kind kind = id.len > 0 ? ID_CONTAINER : ID_POD;
    id = id.len > 0 ? id : peek_bytes(composing->method, DIALECT_MODEL, PEEK_POD, request);
    if (id.len == 0) {
        return true;
    }
    if (composing->asked == 0) {
        return composing_ask(composing, kind == ID_POD ? "ListPodSandbox" : "ListContainers", NULL, error);
    }
    if (!lists(composing, kind, id, &found, error)) {
        return false;
    }
    return found || error_set(error, STATUS_NOT_FOUND, "runtime %s has no %s %.*s", composing->runtime_name,
                              kind == ID_POD ? "pod" : "container", BYTES_SHOWN(id, 128));
}

/* A failure of a command after its full time becomes a timeout. */
bool compose_timeout(struct composing *composing, struct error *error)
{
    enum { MILLISECONDS_A_SECOND = 1000 };
    struct bytes request;
    if (!composing_request(composing, &request, error)) {
        return false;
    }
    const Model__ExecSyncRequest *exec = composing_decode(composing, &model__exec_sync_request__descriptor, request, error);
    if (!exec) {
        return false;
    }
    if (exec->timeout <= 0 || composing->elapsed / MILLISECONDS_A_SECOND < exec->timeout) {
        return true;
    }
    return error_set(error, STATUS_DEADLINE_EXCEEDED, "runtime %s: the command ran longer than its timeout of %lld s",
                     composing->runtime_name, (long long)exec->timeout);
}
