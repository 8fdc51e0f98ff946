#include "sim/common/grpc_server.h"

#include <grpc/byte_buffer.h>
#include <grpc/byte_buffer_reader.h>
#include <grpc/grpc_security.h>
#include <grpc/support/time.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/system/unix_socket.h"

#define MAX_REQUEST (256 * 1024 * 1024)
#define MAX_METADATA (1024 * 1024)

/* The library would silently replace the socket of a running server. */
static bool check_path(const char *path, struct error *error)
{
    struct sockaddr_un address;
    if (!unix_socket_address(path, &address)) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "%s: longer than the %zu bytes that a socket's path may have", path,
                         sizeof address.sun_path - 1);
    }
    int probe = unix_socket_connect(path, 0);
    bool live = probe >= 0;
    if (probe >= 0) {
        close(probe);
    }
    return !live || error_set(error, STATUS_ALREADY_EXISTS, "%s: another program is listening there", path);
}

grpc_server *sim_server_new(void)
{
    static char max_receive[] = GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH;
    static char max_send[] = GRPC_ARG_MAX_SEND_MESSAGE_LENGTH;
    static char max_metadata[] = GRPC_ARG_MAX_METADATA_SIZE;
    static char ping_strikes[] = GRPC_ARG_HTTP2_MAX_PING_STRIKES;
    static char compression[] = GRPC_ARG_ENABLE_PER_MESSAGE_COMPRESSION;
    static char channelz[] = GRPC_ARG_ENABLE_CHANNELZ;
    static char bdp_probe[] = GRPC_ARG_HTTP2_BDP_PROBE;
    grpc_arg arguments[] = {
        {GRPC_ARG_INTEGER, max_receive, {.integer = MAX_REQUEST}},
        {GRPC_ARG_INTEGER, max_send, {.integer = -1}},
        {GRPC_ARG_INTEGER, max_metadata, {.integer = MAX_METADATA}},
        {GRPC_ARG_INTEGER, ping_strikes, {.integer = 0}},
        {GRPC_ARG_INTEGER, compression, {.integer = 0}},
        {GRPC_ARG_INTEGER, channelz, {.integer = 0}},
        {GRPC_ARG_INTEGER, bdp_probe, {.integer = 0}},
    };
    grpc_channel_args all = {sizeof arguments / sizeof *arguments, arguments};
    return grpc_server_create(&all, NULL);
}

bool sim_server_bind(grpc_server *server, const char *path, struct error *error)
{
    if (!check_path(path, error)) {
        return false;
    }
    char address[sizeof(struct sockaddr_un) + sizeof "unix:"];
    snprintf(address, sizeof address, "unix:%s", path);
    grpc_server_credentials *credentials = grpc_insecure_server_credentials_create();
    int port = grpc_server_add_http2_port(server, address, credentials);
    grpc_server_credentials_release(credentials);
    return port != 0 || error_set(error, STATUS_UNAVAILABLE, "%s: cannot listen there", path);
}

void sim_queue_destroy(grpc_completion_queue *queue)
{
    grpc_completion_queue_shutdown(queue);
    while (grpc_completion_queue_next(queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL).type != GRPC_QUEUE_SHUTDOWN) {
    }
    grpc_completion_queue_destroy(queue);
}

gpr_timespec sim_from_now(int64_t milliseconds)
{
    return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_millis(milliseconds, GPR_TIMESPAN));
}

int64_t sim_milliseconds_until(gpr_timespec deadline)
{
    if (gpr_time_cmp(deadline, gpr_inf_future(deadline.clock_type)) == 0) {
        return -1;
    }
    int32_t left = gpr_time_to_millis(gpr_time_sub(deadline, gpr_now(deadline.clock_type)));
    return left > 0 ? left : 0;
}

grpc_slice sim_slice_of_buffer(grpc_byte_buffer *buffer)
{
    grpc_slice slice = grpc_empty_slice();
    grpc_byte_buffer_reader reader;
    if (buffer && grpc_byte_buffer_reader_init(&reader, buffer)) {
        slice = grpc_byte_buffer_reader_readall(&reader);
        grpc_byte_buffer_reader_destroy(&reader);
    }
    return slice;
}
