#include "connection.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log/log.h"

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

/* ---- docker ---- */

static void lead_to(struct connection *connection, const struct docker_candidate *place)
{
    connection->docker = place;
    connection->docker_stays = (struct error){0};
    channel_lead_to(&connection->channel, place->endpoint);
}

/* Where it was, if it was anywhere, stays the only place, although `docker` leads elsewhere. */
static int stay(struct connection *connection, const struct error *why)
{
    int fd = connection->docker ? docker_connect_to(connection->docker) : -1;
    if (fd < 0) {
        snprintf(connection->docker_failure, sizeof connection->docker_failure, ": %.*s", ERROR_MESSAGE_SIZE - 3, why->message);
        errno = EREMCHG; /* so that the failure differs from that of a socket which is not there */
    } else if (strcmp(connection->docker_stays.message, why->message) != 0) {
        connection->docker_stays = *why;
        log_line(LOG_SERIOUS, "endpoint docker: crigate stays at %s: %s", connection->docker->endpoint, why->message);
    }
    return fd;
}

static int try_docker(struct connection *connection)
{
    const struct docker_candidate *found;
    struct error error = {0};
    int fd = docker_connect(&found);
    int reason = errno;
    if (fd < 0 && connection->docker && found != connection->docker) {
        fd = docker_connect_to(connection->docker); /* as what failed: it was the one */
        reason = errno;
        found = connection->docker;
    }
    if (fd < 0) {
        char text[DOCKER_TEXT_SIZE];
        docker_explain(found, reason, text);
        snprintf(connection->docker_failure, sizeof connection->docker_failure, ": %s", text);
        errno = reason;
        return -1;
    }
    if (found == connection->docker || connection->callbacks->may_move(connection, found, &error)) {
        lead_to(connection, found);
        return fd;
    }
    close(fd);
    return stay(connection, &error);
}

static int connect_to_docker(struct channel *channel)
{
    return try_docker(completion_owner(channel, struct connection, channel));
}

void connection_was_at(struct connection *connection, const struct docker_candidate *place)
{
    bool elsewhere = connection->docker && connection->docker != place;
    lead_to(connection, place);
    if (elsewhere) {
        channel_hang_up(&connection->channel); /* also on a peer that has not said anything yet */
    }
}

void connection_open(struct connection *connection, const struct runtime_entry *entry, size_t message_size, struct worker *worker,
                     const struct connection_callbacks *callbacks)
{
    *connection = (struct connection){
        .callbacks = callbacks, .to_docker = docker_is_meant(entry->endpoint), .closing_begun.run = on_closing_begun};
    channel_open(&connection->channel, entry->endpoint, message_size, worker, on_changed, on_channel_drained);
    if (connection->to_docker) {
        channel_connect_by(&connection->channel, connect_to_docker);
    }
}

bool connection_is_up(const struct connection *connection)
{
    return channel_is_up(&connection->channel);
}

const char *connection_failure(const struct connection *connection)
{
    int error = connection->channel.error;
    if (connection->to_docker && error != EAGAIN && error != ETIMEDOUT && error != ECONNRESET) {
        return connection->docker_failure;
    }
    return channel_failure(&connection->channel);
}

void connection_close(struct connection *connection)
{
    struct worker *worker = connection->channel.worker;
    connection->closing = 2; /* the channel, and this, so that `closed` is later */
    channel_close(&connection->channel);
    if (!worker_post(worker, &connection->closing_begun)) {
        end_part(connection);
    }
}
