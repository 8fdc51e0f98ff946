#include "call.h"

#include <grpc/byte_buffer.h>
#include <stdlib.h>

#include "base/system/clock.h"

struct call *call_new(struct call_server *server)
{
    struct call *call = calloc(1, sizeof *call);
    if (call) {
        call->server = server;
        call->holds = 1;
        call->request.node = server->node;
        grpc_call_details_init(&call->details);
        grpc_metadata_array_init(&call->request.metadata);
    }
    return call;
}

void call_clear(struct call *call)
{
    grpc_call_unref(call->server_call);
    call->server_call = NULL;
    grpc_metadata_array_destroy(&call->request.metadata);
    grpc_metadata_array_init(&call->request.metadata);
    grpc_call_details_destroy(&call->details);
    grpc_call_details_init(&call->details);
}

/* So many calls are small one by one, but together they take much memory. */
#define MANY_CALLS 256

static void trim_if_many(struct call_server *server)
{
    if (server->calls > MANY_CALLS) {
        memory_trim_soon(&server->trim);
    }
}

void call_enlist(struct call *call)
{
    struct call_server *server = call->server;
    server->calls++;
    call->id = ++server->arrived;
    trim_if_many(server);
    call->request.generation = generation_ref(server->generation);
    call->started = clock_ns();
    LIST_INSERT_HEAD(&server->in_flight, call, flight);
}

const struct map_socket *call_socket(const struct call *call)
{
    const struct runtime_map *map = call->request.generation->map;
    if (call->caller) {
        return runtime_map_socket(map, call->caller->socket->path);
    }
    const struct caller_socket *socket = atomic_load(&call->server->callers.sockets);
    return !socket || !socket->next ? &map->listen : NULL;
}

void call_move_on(struct call *call, struct generation *generation)
{
    static const struct map_socket gone = {.address = "", .path = "", .read_only = true};
    struct generation *before = call->request.generation;
    call->request.generation = generation_ref(generation);
    const struct map_socket *socket = call_socket(call);
    call->request.socket = socket ? socket : &gone; /* its connection is about to be closed */
    generation_unref(before);
}

const struct peer *call_caller(const struct call *call)
{
    return call->caller ? &call->caller->peer : NULL;
}

static void release(struct call *call)
{
    struct call_server *server = call->server_call ? call->server : NULL;
    bool apart = call->is_apart;
    size_t used = call->request.arena ? arena_used(call->request.arena) : 0;
    if (server && !call->counted) {
        server->unanswered(call);
    }
    if (server && server->leave) {
        server->leave(call);
    }
    for (size_t i = 0; call->upstream_calls && i < call->route.count; i++) {
        used += upstream_release(&call->upstream_calls[i]);
    }
    if (call->server_call) {
        caller_return(call->caller);
        grpc_call_unref(call->server_call);
        LIST_REMOVE(call, flight);
    }
    generation_unref(call->request.generation);
    grpc_byte_buffer_destroy(call->request.received);
    grpc_metadata_array_destroy(&call->request.metadata);
    grpc_call_details_destroy(&call->details);
    arena_unref(call->request.arena);
    free(call);
    if (server) {
        memory_trim_used(&server->trim, used);
        trim_if_many(server);
        server->calls--;
        server->calls_apart -= apart;
        server->callbacks.ended(server->callbacks.state);
    }
}

struct arena *call_new_arena(const struct call *call)
{
    return arena_new(call_memory(call->request.generation->map->limits.message_size));
}

void call_hold(struct call *call)
{
    call->holds++;
}

void call_drop(struct call *call)
{
    if (--call->holds == 0) {
        release(call);
    }
}

bool call_start_batch(struct call *call, const grpc_op *ops, size_t count, struct completion *completion)
{
    if (grpc_call_start_batch(call->server_call, ops, count, completion, NULL) != GRPC_CALL_OK) {
        return false;
    }
    call_hold(call);
    return true;
}
