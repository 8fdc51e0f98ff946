#include "failure.h"

#include "core/transport/loop_mark.h"

bool runtime_status_means_lacking(enum status_code code, struct bytes text)
{
    return code == STATUS_UNIMPLEMENTED || (code == STATUS_UNKNOWN && bytes_equal(text, bytes_of_string("not implemented")));
}

/* A server that stopped knowing the service was replaced by another version behind our back. */
static bool service_is_gone(grpc_status_code status, struct bytes details)
{
    return status == GRPC_STATUS_UNIMPLEMENTED && bytes_start_with(details, bytes_of_string("unknown service"));
}

bool runtime_refuse_list(const struct runtime *runtime, struct error *error)
{
    return error_set(error, STATUS_RESOURCE_EXHAUSTED, "runtime %s lists more than %u items (limits.list_items)",
                     runtime->entry->name, runtime->list_items);
}

bool runtime_refuse_compression(const struct runtime *runtime, struct error *error)
{
    return error_set(error, STATUS_UNIMPLEMENTED,
                     "runtime %s compresses its answers, which crigate does not support; turn compression off in the runtime",
                     runtime->entry->name);
}

/* C core's own text for an answer that is compressed. */
static bool is_compressed(grpc_status_code status, struct bytes details)
{
    return status == GRPC_STATUS_UNIMPLEMENTED && bytes_start_with(details, bytes_of_string("Compression algorithm "));
}

bool runtime_explain(struct runtime *runtime, grpc_status_code status, struct bytes details, struct error *error)
{
    if (service_is_gone(status, details)) {
        runtime_suspect(runtime);
        error_set(error, STATUS_UNAVAILABLE, "runtime %s was replaced by another version; it is being probed",
                  runtime->entry->name);
        return true;
    }
    if (loop_mark_is_refusal((enum status_code)status, details)) {
        runtime_leads_back(runtime);
        error_set(error, STATUS_UNAVAILABLE, "runtime %s cannot be queried: %s", runtime->entry->name,
                  runtime->last_error.message);
        return true;
    }
    /* C core's code both for a lost connection and for a runtime that answers so. */
    if (status == GRPC_STATUS_UNAVAILABLE && !connection_is_up(&runtime->connection)) {
        error_set(error, STATUS_UNAVAILABLE, "the connection to runtime %s at %s was lost during the call", runtime->entry->name,
                  runtime_endpoint(runtime));
        return true;
    }
    if (is_compressed(status, details)) {
        runtime_refuse_compression(runtime, error);
        return true;
    }
    return false;
}
