#include "c_core.h"

#include <grpc/byte_buffer.h>
#include <grpc/grpc_posix.h>
#include <grpc/grpc_security.h>
#include <grpc/support/log.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log/log.h"
#include "core/transport/header_limit.h"

/* Bytes that the server's connections may hold altogether, in messages of the largest size: a message is buffered whole before
   its size is checked. */
#define SERVER_QUOTA_MESSAGES 2
/* With less, a newer C core closes the connections of a dozen callers: "Buffers full". */
#define SERVER_QUOTA_LEAST ((size_t)4 * 1024 * 1024)

static grpc_arg integer(const char *key, size_t value)
{
    return (grpc_arg){
        .type = GRPC_ARG_INTEGER, .key = (char *)(uintptr_t)key, .value.integer = value > INT_MAX ? INT_MAX : (int)value};
}

static grpc_arg string(const char *key, const char *value)
{
    return (grpc_arg){.type = GRPC_ARG_STRING, .key = (char *)(uintptr_t)key, .value.string = (char *)(uintptr_t)value};
}

/* Nothing compressed is read: a few bytes of it can become a thousand times as many, and C core bounds that only afterwards. A
   call or an answer whose metadata declares compression fails with UNIMPLEMENTED before any of them is looked at.

   Measured: what stays off here costs time on every call and serves nothing on a Unix socket. */
#define COMMON_ARGUMENTS(message_size, metadata_size)                                                                            \
    integer(GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, (message_size)), integer(GRPC_ARG_MAX_SEND_MESSAGE_LENGTH, INT_MAX),            \
        integer(GRPC_ARG_MAX_METADATA_SIZE, (metadata_size)), integer(GRPC_ARG_ENABLE_PER_MESSAGE_COMPRESSION, 0),               \
        integer(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0),                                                                   \
        integer(GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET, 1 << GRPC_COMPRESS_NONE),                                    \
        integer(GRPC_ARG_ENABLE_CHANNELZ, 0), integer(GRPC_ARG_HTTP2_BDP_PROBE, 0),                                              \
        integer(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, 65536)

/* Strict servers refuse a socket's path as authority. */
#define AUTHORITY "localhost"

#define CHANNEL_ARGUMENTS(message_size)                                                                                          \
    COMMON_ARGUMENTS(message_size, HEADER_LIMIT_RUNTIMES), string(GRPC_ARG_DEFAULT_AUTHORITY, AUTHORITY)

grpc_channel *transport_channel_over(int fd, size_t message_size)
{
    grpc_arg list[] = {CHANNEL_ARGUMENTS(message_size)};
    grpc_channel_args arguments = {.num_args = sizeof list / sizeof list[0], .args = list};
    grpc_channel_credentials *credentials = grpc_insecure_credentials_create();
    grpc_channel *channel = grpc_channel_create_from_fd(AUTHORITY, fd, credentials, &arguments);
    grpc_channel_credentials_release(credentials);
    return channel;
}

grpc_channel *transport_channel(const char *endpoint, size_t message_size)
{
    grpc_arg list[] = {
        CHANNEL_ARGUMENTS(message_size),
        integer(GRPC_ARG_ENABLE_RETRIES, 0),
        integer(GRPC_ARG_ENABLE_HTTP_PROXY, 0),
    };
    grpc_channel_args arguments = {.num_args = sizeof list / sizeof list[0], .args = list};
    grpc_channel_credentials *credentials = grpc_insecure_credentials_create();
    grpc_channel *channel = grpc_channel_create(endpoint, credentials, &arguments);
    grpc_channel_credentials_release(credentials);
    return channel;
}

grpc_server *transport_server(grpc_completion_queue *queue, const struct transport_bounds *bounds)
{
    grpc_resource_quota *quota = grpc_resource_quota_create("callers");
    size_t least = SERVER_QUOTA_MESSAGES * bounds->message_size;
    grpc_resource_quota_resize(quota, least > SERVER_QUOTA_LEAST ? least : SERVER_QUOTA_LEAST);
    grpc_arg list[] = {
        COMMON_ARGUMENTS(bounds->message_size, HEADER_LIMIT_CALLERS),
        integer(GRPC_ARG_MAX_CONCURRENT_STREAMS, bounds->streams),
        /* grpc-go clients may ping as often as every ten seconds. */
        integer(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0),
        integer(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 0),
        /* No pings of our own: the kernel reports when a caller on this machine is gone. By default there is one after two hours,
           whose timer each read from a connection stops and starts again. */
        integer(GRPC_ARG_KEEPALIVE_TIME_MS, INT_MAX),
        /* Of calls that wait for the worker, a newer C core refuses some, whoever's they are. 1.51 does not. */
        integer("grpc.server.max_pending_requests", INT_MAX),
        integer("grpc.server.max_pending_requests_hard_limit", INT_MAX),
        {.type = GRPC_ARG_POINTER,
         .key = (char *)(uintptr_t)GRPC_ARG_RESOURCE_QUOTA,
         .value.pointer = {.p = quota, .vtable = grpc_resource_quota_arg_vtable()}},
    };
    grpc_channel_args arguments = {.num_args = sizeof list / sizeof list[0], .args = list};
    grpc_server *server = grpc_server_create(&arguments, NULL);
    grpc_resource_quota_unref(quota);
    grpc_server_register_completion_queue(server, queue, NULL);
    return server;
}

bool transport_bytes(grpc_byte_buffer *buffer, struct arena *arena, struct bytes *bytes)
{
    const grpc_slice_buffer *slices = buffer ? &buffer->data.raw.slice_buffer : NULL;
    *bytes = slices && slices->count > 0 ? transport_slice_bytes(&slices->slices[0]) : (struct bytes){0};
    if (!slices || bytes->len == slices->length) {
        return true;
    }
    uint8_t *whole = arena_alloc(arena, slices->length);
    size_t used = 0;
    for (size_t i = 0; whole && i < slices->count; i++) {
        struct bytes part = transport_slice_bytes(&slices->slices[i]);
        if (part.len > 0) {
            memcpy(whole + used, part.data, part.len);
        }
        used += part.len;
    }
    *bytes = bytes_of(whole, slices->length);
    return whole != NULL;
}

/* C core's, of the last message that a call has received: what its API reports of a message in an encoding that C core does not
   know is that it is plain. */
extern uint32_t message_flags(grpc_call *call) __asm__("_Z37grpc_call_test_only_get_message_flagsP9grpc_call");

bool transport_is_compressed(grpc_call *call)
{
    return message_flags(call) != 0;
}

static void release_arena(void *arena)
{
    arena_unref(arena);
}

grpc_slice transport_slice(struct bytes bytes, struct arena *arena)
{
    enum { SHORT = 512 };
    if (bytes.len <= SHORT) {
        return grpc_slice_from_copied_buffer((const char *)bytes.data, bytes.len);
    }
    return grpc_slice_new_with_user_data((void *)(uintptr_t)bytes.data, bytes.len, release_arena, arena_ref(arena));
}

size_t transport_metadata_size(const grpc_metadata_array *metadata)
{
    enum { EACH = 32 };
    size_t size = 0;
    for (size_t i = 0; i < metadata->count; i++) {
        const grpc_metadata *entry = &metadata->metadata[i];
        size += GRPC_SLICE_LENGTH(entry->key) + GRPC_SLICE_LENGTH(entry->value) + EACH;
    }
    return size;
}

size_t transport_forwardable(grpc_metadata_array *metadata)
{
    size_t kept = 0;
    for (size_t i = 0; i < metadata->count; i++) {
        struct bytes key = transport_slice_bytes(&metadata->metadata[i].key);
        bool own = key.len == 0 || key.data[0] == ':' || bytes_equal(key, bytes_of_string("user-agent")) ||
                   bytes_equal(key, bytes_of_string("te")) || bytes_equal(key, bytes_of_string("content-type")) ||
                   bytes_equal(key, bytes_of_string("host"));
        if (!own) {
            grpc_metadata entry = metadata->metadata[i];
            metadata->metadata[i] = metadata->metadata[kept];
            metadata->metadata[kept++] = entry;
        }
    }
    return kept;
}

static bool key_is_sendable(const grpc_metadata *entry)
{
    return grpc_header_key_is_legal(entry->key) != 0;
}

static bool value_is_sendable(const grpc_metadata *entry)
{
    return grpc_is_binary_header(entry->key) || grpc_header_nonbin_value_is_legal(entry->value);
}

bool transport_check_metadata(const grpc_metadata *metadata, size_t count, struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        struct bytes key = transport_slice_bytes(&metadata[i].key);
        if (!key_is_sendable(&metadata[i])) {
            return error_set(error, STATUS_INVALID_ARGUMENT,
                             "a metadata key may have only lower-case letters, digits, \"-\", \"_\" and \".\"");
        }
        if (!value_is_sendable(&metadata[i])) {
            return error_set(error, STATUS_INVALID_ARGUMENT,
                             "the value of metadata %.*s is not printable ASCII; other bytes need a key that ends in \"-bin\"",
                             BYTES_SHOWN(key, 100));
        }
    }
    return true;
}

size_t transport_sendable(const grpc_metadata_array *metadata)
{
    size_t kept = 0;
    for (size_t i = 0; i < metadata->count; i++) {
        grpc_metadata entry = metadata->metadata[i];
        if (key_is_sendable(&entry) && value_is_sendable(&entry)) {
            metadata->metadata[i] = metadata->metadata[kept];
            metadata->metadata[kept++] = entry;
        }
    }
    return kept;
}

#ifdef GPR_ASSERT
static void log_from_core(gpr_log_func_args *arguments)
{
    int level = arguments->severity == GPR_LOG_SEVERITY_ERROR ? LOG_FAILED : LOG_LISTS;
    log_line(level, "transport: %s", arguments->message);
}
#endif

/* A newer C core has no GPR_ASSERT. It would write its messages to standard error, as many as a peer likes to cause. And it would
   read connections on threads of its own, as fast as it can: the turns of fair_reading.h bound nothing then, and one caller's
   flood has the calls of others refused. */
void transport_init(void)
{
#ifdef GPR_ASSERT
    gpr_set_log_function(log_from_core);
#else
    setenv("GRPC_VERBOSITY", "NONE", false);
    setenv("GRPC_EXPERIMENTS", "-event_engine_for_all_other_endpoints", false);
#endif
    grpc_init();
}
