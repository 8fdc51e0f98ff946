#include "connection.h"

#include <errno.h>
#include <string.h>

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

static void on_closing_begun(struct completion *completion, bool ok)
{
    (void)ok;
    end_part(completion_owner(completion, struct connection, closing_begun));
}

static void on_changed(struct channel *channel)
{
    struct connection *connection = completion_owner(channel, struct connection, channel);
    connection->callbacks->changed(connection);
}

void connection_open(struct connection *connection, const struct runtime_entry *entry, size_t message_size, struct worker *worker,
                     const struct connection_callbacks *callbacks)
{
    *connection = (struct connection){.callbacks = callbacks,
                                      .has_image_channel = strcmp(entry->endpoint, entry->image_endpoint) != 0,
                                      .closing_begun.run = on_closing_begun};
    channel_open(&connection->channel, entry->endpoint, message_size, worker, on_changed, on_channel_drained);
    if (connection->has_image_channel) {
        channel_open(&connection->image_channel, entry->image_endpoint, message_size, worker, NULL, on_image_channel_drained);
    }
}

struct channel *connection_channel(struct connection *connection, enum service service)
{
    return service == SERVICE_IMAGE && connection->has_image_channel ? &connection->image_channel : &connection->channel;
}

bool connection_is_up(struct connection *connection, enum service service)
{
    return channel_is_up(connection_channel(connection, service));
}

const char *connection_failure(const struct connection *connection)
{
    switch (connection->channel.error) {
    case EACCES:
        return ": crigate has no permission to use it (see crigate --check-config)";
    case ENOENT:
        return ": there is no such socket";
    case ECONNREFUSED:
        return ": nobody listens on that socket";
    case EAGAIN:
        return ": too many wait there to be accepted";
    case ETIMEDOUT:
        return ": it accepts connections and then says nothing";
    case ECONNRESET:
        return ": it closes connections as soon as they are made";
    default:
        return "";
    }
}

void connection_close(struct connection *connection)
{
    struct worker *worker = connection->channel.worker;
    connection->closing = connection->has_image_channel ? 3 : 2; /* each channel, and this, so that `closed` is later */
    if (connection->has_image_channel) {
        channel_close(&connection->image_channel);
    }
    channel_close(&connection->channel);
    if (!worker_post(worker, &connection->closing_begun)) {
        end_part(connection);
    }
}
