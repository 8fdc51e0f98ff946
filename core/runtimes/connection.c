#include "connection.h"

#include <errno.h>
#include <fcntl.h>
#include <grpc/support/time.h>
#include <string.h>
#include <unistd.h>

#include "core/map/names.h"

static void watch(struct connection *connection)
{
    grpc_channel_watch_connectivity_state(connection->channel.grpc, connection->state, gpr_inf_future(GPR_CLOCK_MONOTONIC),
                                          connection->channel.worker->queue, &connection->state_changed);
}

/* One part of a connection that is given up has ended. */
static void end_part(struct connection *connection)
{
    if (--connection->closing == 0) {
        connection->callbacks->closed(connection);
    }
}

static void on_channel_drained(struct channel *channel)
{
    end_part(completion_owner(channel, struct connection, channel));
}

static void on_image_channel_drained(struct channel *channel)
{
    end_part(completion_owner(channel, struct connection, image_channel));
}

static void on_state_changed(struct completion *completion, bool ok)
{
    (void)ok;
    struct connection *connection = completion_owner(completion, struct connection, state_changed);
    if (connection->closing > 0) {
        end_part(connection);
        return;
    }
    connection->state = grpc_channel_check_connectivity_state(connection->channel.grpc, 1);
    connection->callbacks->changed(connection);
    watch(connection);
}

void connection_open(struct connection *connection, const struct runtime_entry *entry, size_t message_size, struct worker *worker,
                     const struct connection_callbacks *callbacks)
{
    *connection = (struct connection){.callbacks = callbacks, .state_changed.run = on_state_changed};
    channel_open(&connection->channel, entry->endpoint, message_size, worker, on_channel_drained);
    connection->state = grpc_channel_check_connectivity_state(connection->channel.grpc, 1);
    if (strcmp(entry->endpoint, entry->image_endpoint) != 0) {
        channel_open(&connection->image_channel, entry->image_endpoint, message_size, worker, on_image_channel_drained);
        grpc_channel_check_connectivity_state(connection->image_channel.grpc, 1);
    }
    watch(connection);
}

static bool has_image_channel(const struct connection *connection)
{
    return connection->image_channel.grpc != NULL;
}

struct channel *connection_channel(struct connection *connection, enum service service)
{
    return service == SERVICE_IMAGE && has_image_channel(connection) ? &connection->image_channel : &connection->channel;
}

bool connection_is_up(struct connection *connection, enum service service)
{
    grpc_channel *channel = connection_channel(connection, service)->grpc;
    return grpc_channel_check_connectivity_state(channel, 0) == GRPC_CHANNEL_READY;
}

/* C core does not report why it could not connect. */
bool connection_is_forbidden(const char *endpoint)
{
    size_t scheme = strlen(SOCKET_SCHEME);
    return strncmp(endpoint, SOCKET_SCHEME, scheme) == 0 && faccessat(AT_FDCWD, endpoint + scheme, W_OK, AT_EACCESS) != 0 &&
           errno == EACCES;
}

void connection_close(struct connection *connection, const struct runtime_entry *entry)
{
    connection->closing = has_image_channel(connection) ? 3 : 2; /* the watch, and each channel */
    if (has_image_channel(connection)) {
        channel_close(&connection->image_channel, entry->image_endpoint);
    }
    /* The watch ends with the channel. */
    channel_close(&connection->channel, entry->endpoint);
}
