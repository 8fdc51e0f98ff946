#include "node/preflight/ask.h"

#include <stdlib.h>

#include "base/bytes/shown.h"
#include "core/transport/grpc_client.h"

struct receiving {
    struct arena *arena;
    struct bytes answer;
    size_t count; /* messages */
    bool no_memory;
};

/* A unary call has one message; a runtime that sends more is cut off. */
static bool take(void *state, struct bytes message)
{
    struct receiving *receiving = state;
    if (receiving->count++ > 0) {
        return false;
    }
    receiving->answer = arena_copy(receiving->arena, message);
    receiving->no_memory = message.len > 0 && !receiving->answer.data;
    return !receiving->no_memory;
}

static bool fail(const struct client_status *status, struct arena *arena, struct error *error)
{
    return error_set(error, status->code, "%s", shown_text(bytes_of_string(status->message), arena));
}

bool ask(const struct ask *ask, struct arena *arena, struct bytes *answer, struct error *error)
{
    struct receiving receiving = {.arena = arena};
    const struct client_request request = {
        .endpoint = ask->endpoint,
        .path = ask->method->in[ask->dialect].path,
        .timeout = ask->timeout,
        .max_message = ask->largest,
        .message = ask->request,
        .on_message = take,
        .state = &receiving,
    };
    struct client_status status = client_run(&request);
    bool good = status.code == STATUS_OK && receiving.count == 1 && !receiving.no_memory;
    if (receiving.no_memory) {
        error_out_of_memory(error);
    } else if (receiving.count > 1 || (status.code == STATUS_OK && receiving.count == 0)) {
        error_set(error, STATUS_INTERNAL, "%s answered with %s", ask->method->name,
                  receiving.count == 0 ? "nothing" : "more than one message");
    } else if (!good) {
        fail(&status, arena, error);
    }
    free(status.message);
    *answer = receiving.answer;
    return good;
}
