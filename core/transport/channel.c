#include "channel.h"
#include "base/system/unix_socket.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/system/descriptor.h"
#include "core/transport/c_core.h"
#include "core/transport/exchange.h"

#define FIRST_WAIT_MS 100
#define LAST_WAIT_MS 1000
#define SETTINGS_MS 5000
/* A connection that ends sooner counts as a failed attempt: else one that is always closed at once would be renewed without end.
 */
#define LASTING_MS 1000
/* How often to look for SETTINGS: after a quarter of the time that has passed, within these. */
#define FIRST_LOOK_MS 1
#define LAST_LOOK_MS 100

static void end_if_drained(struct channel *channel)
{
    if (channel->closed && channel->unsent == 0 && channel->live == 0) {
        channel->drained(channel);
    }
}

static void on_sent(struct completion *completion, bool ok)
{
    (void)ok;
    struct channel *channel = completion_owner(completion, struct channel, sent);
    channel->unsent--;
    channel->taken++;
    end_if_drained(channel);
}

/* ---- connecting ---- */

static void forget_absent(struct channel *channel)
{
    if (channel->absent) {
        grpc_channel_destroy(channel->absent);
        channel->absent = NULL;
    }
}

/* As the last step of what happens, because the callback may do anything. */
static void report(struct channel *channel)
{
    if (channel->changed) {
        channel->changed(channel);
    }
}

static void try_again_later(struct channel *channel)
{
    worker_arm(channel->worker, &channel->timer, channel->wait);
    channel->wait = channel->wait * 2 < LAST_WAIT_MS ? channel->wait * 2 : LAST_WAIT_MS;
}

/* Whether that is news. */
static bool fail(struct channel *channel, int error)
{
    bool news = channel->state != CHANNEL_FAILED || channel->error != error;
    channel->state = CHANNEL_FAILED;
    channel->error = error;
    forget_absent(channel);
    try_again_later(channel);
    return news;
}

static void on_hung_up(struct upstream_connection *connection);

/* C core takes the descriptor over, unless this fails. false: no memory, or no descriptor is left. */
static bool use(struct channel *channel, int fd)
{
    struct upstream_connection *connection = upstream_connection_new(fd, channel->worker, on_hung_up, channel);
    if (!connection) {
        return false;
    }
    connection->grpc = transport_channel_over(fd, channel->message_size);
    LIST_INSERT_HEAD(&channel->all, connection, others);
    channel->live++;
    channel->connection = connection;
    channel->connected = clock_ns();
    forget_absent(channel);
    worker_arm(channel->worker, &channel->timer, FIRST_LOOK_MS);
    return true;
}

/* Returns whether there is something to report. */
static bool try_to_connect(struct channel *channel)
{
    int fd = channel->connect ? channel->connect(channel) : upstream_connect(channel->path);
    if (fd < 0) {
        return fail(channel, errno);
    }
    if (!use(channel, fd)) {
        close(fd);
        return fail(channel, EMFILE);
    }
    return false;
}

/* ---- what becomes of a connection ---- */

static bool has_lasted(const struct channel *channel)
{
    return clock_ns() - channel->connected >= LASTING_MS * NANOSECONDS_A_MILLISECOND;
}

/* The connection takes no new calls. Those under way go on; if it has ended, C core lets them fail with UNAVAILABLE, which
   destroying its channel would not. */
static void give_up(struct channel *channel)
{
    struct upstream_connection *connection = channel->connection;
    channel->connection = NULL;
    worker_disarm(channel->worker, &channel->timer);
    upstream_connection_retire(connection);
}

static void lose(struct channel *channel)
{
    bool lasted = has_lasted(channel);
    bool was_up = channel->state == CHANNEL_UP;
    char why[UPSTREAM_WHY_SIZE];
    if (upstream_connection_why(channel->connection, why, sizeof why)) {
        snprintf(channel->why, sizeof channel->why, "%s", why);
    }
    give_up(channel);
    bool news = was_up;
    if (!was_up) {
        news = fail(channel, ECONNRESET);
    } else {
        channel->state = CHANNEL_CONNECTING;
        if (lasted && channel->connect) {
            channel->wait = FIRST_WAIT_MS;
            worker_arm(channel->worker, &channel->timer, 0); /* that the peer is gone is known before another one is looked for */
        } else if (lasted) {
            channel->wait = FIRST_WAIT_MS;
            try_to_connect(channel);
        } else {
            try_again_later(channel);
        }
    }
    if (news) {
        report(channel);
    }
}

static void on_hung_up(struct upstream_connection *connection)
{
    struct channel *channel = connection->owner;
    channel->live--;
    if (connection == channel->connection) {
        lose(channel);
    } else {
        end_if_drained(channel);
    }
}

/* The peer has sent its SETTINGS, or has time left to do so, or not. Returns whether there is something to report. */
static bool look_if_settled(struct channel *channel)
{
    int64_t passed = (clock_ns() - channel->connected) / NANOSECONDS_A_MILLISECOND;
    bool settled = upstream_connection_is_settled(channel->connection);
    if (settled) {
        channel->state = CHANNEL_UP;
        return true;
    }
    if (passed < SETTINGS_MS) {
        int64_t next = passed / 4 > FIRST_LOOK_MS ? passed / 4 : FIRST_LOOK_MS;
        worker_arm(channel->worker, &channel->timer, next < LAST_LOOK_MS ? next : LAST_LOOK_MS);
        return false;
    }
    upstream_connection_hang_up(channel->connection);
    give_up(channel);
    return fail(channel, ETIMEDOUT);
}

static void on_timer(struct completion *completion, bool ok)
{
    (void)ok;
    struct channel *channel = completion_owner(completion, struct channel, timer.completion);
    bool news = false;
    if (!channel->connection) {
        news = try_to_connect(channel);
    } else if (channel->state != CHANNEL_UP) {
        news = look_if_settled(channel);
    } else {
        lose(channel); /* see leave */
    }
    if (news) {
        report(channel);
    }
}

/* ---- for others ---- */

void channel_lead_to(struct channel *channel, const char *endpoint)
{
    snprintf(channel->path, sizeof channel->path, "%s", unix_socket_path(endpoint));
}

void channel_connect_by(struct channel *channel, int (*connect)(struct channel *channel))
{
    channel->connect = connect;
}

void channel_open(struct channel *channel, const char *endpoint, size_t message_size, struct worker *worker,
                  void (*changed)(struct channel *channel), void (*drained)(struct channel *channel))
{
    *channel = (struct channel){.worker = worker,
                                .message_size = message_size,
                                .wait = FIRST_WAIT_MS,
                                .timer.completion.run = on_timer,
                                .sent.run = on_sent,
                                .changed = changed,
                                .drained = drained};
    channel_lead_to(channel, endpoint);
    LIST_INIT(&channel->all);
    worker_arm(worker, &channel->timer, 0);
}

bool channel_is_up(const struct channel *channel)
{
    return channel->connection && upstream_connection_is_up(channel->connection);
}

const char *channel_failure(const struct channel *channel)
{
    switch (channel->error) {
    case EACCES:
        return ": crigate has no permission to use it (see crigate --check-config)";
    case ENOENT:
        return ": there is no such socket";
    case ECONNREFUSED:
        return ": no program is listening on that socket";
    case EAGAIN:
        return ": too many connections are waiting to be accepted";
    case ETIMEDOUT:
        return ": it accepts connections but sends nothing";
    case ECONNRESET:
        return ": it closes connections immediately";
    default:
        return "";
    }
}

bool channel_ended_here(struct channel *channel, char *why, size_t size)
{
    snprintf(why, size, "%s", channel->why);
    channel->why[0] = '\0';
    return why[0] != '\0';
}

static grpc_channel *absent(struct channel *channel)
{
    if (!channel->absent) {
        char text[256];
        snprintf(text, sizeof text, "no connection to %s: %s", channel->path,
                 channel->state == CHANNEL_FAILED ? strerror(channel->error) : "still connecting");
        channel->absent = grpc_lame_client_channel_create(channel->path, GRPC_STATUS_UNAVAILABLE, text);
    }
    return channel->absent;
}

/* The peer has asked for another connection. If there is one at once, the channel is only being connected until that has settled.
   Else the call fails on the old one, and the owner learns of it by the timer, as it must not be called from here. */
static void leave(struct channel *channel)
{
    int fd = channel->connect || !has_lasted(channel) ? -1 : upstream_connect(channel->path);
    struct upstream_connection *before = channel->connection;
    if (fd < 0 || !use(channel, fd)) {
        descriptor_close(&fd);
        worker_arm(channel->worker, &channel->timer, 0);
        return;
    }
    channel->state = CHANNEL_CONNECTING;
    upstream_connection_retire(before);
}

void channel_call(struct channel *channel, struct exchange *exchange, grpc_call *parent, grpc_slice path, gpr_timespec deadline)
{
    if (channel->connection && channel->state == CHANNEL_UP && upstream_connection_is_leaving(channel->connection)) {
        leave(channel);
    }
    grpc_channel *grpc = channel->connection ? channel->connection->grpc : absent(channel);
    exchange_begin(exchange, grpc_channel_create_call(grpc, parent, GRPC_PROPAGATE_DEFAULTS, channel->worker->queue, path, NULL,
                                                      deadline, NULL));
    if (channel->connection) {
        exchange->connection = channel->connection;
        upstream_connection_begin_call(channel->connection);
    }
}

static size_t fill(grpc_op ops[CHANNEL_SEND_OPS], grpc_metadata *metadata, size_t metadata_count, grpc_byte_buffer *message)
{
    ops[0] = (grpc_op){.op = GRPC_OP_SEND_INITIAL_METADATA,
                       .data.send_initial_metadata = {.count = metadata_count, .metadata = metadata}};
    ops[1] = (grpc_op){.op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = message};
    ops[2] = (grpc_op){.op = GRPC_OP_SEND_CLOSE_FROM_CLIENT};
    return CHANNEL_SEND_OPS;
}

bool channel_send(struct channel *channel, grpc_call *call, grpc_metadata *metadata, size_t metadata_count,
                  grpc_byte_buffer *message)
{
    grpc_op ops[CHANNEL_SEND_OPS];
    size_t count = fill(ops, metadata, metadata_count, message);
    if (grpc_call_start_batch(call, ops, count, &channel->sent, NULL) != GRPC_CALL_OK) {
        grpc_call_cancel(call, NULL);
        return false;
    }
    channel->unsent++;
    return true;
}

static size_t size_of(const grpc_metadata *metadata, size_t metadata_count, grpc_byte_buffer *message)
{
    size_t size = grpc_byte_buffer_length(message);
    for (size_t i = 0; i < metadata_count; i++) {
        size += GRPC_SLICE_LENGTH(metadata[i].key) + GRPC_SLICE_LENGTH(metadata[i].value);
    }
    return size;
}

size_t channel_send_with(struct channel *channel, grpc_call *call, grpc_metadata *metadata, size_t metadata_count,
                         grpc_byte_buffer *message, grpc_op ops[CHANNEL_SEND_OPS])
{
    bool at_once = channel->unsent == 0 && channel->state == CHANNEL_UP && channel->connection &&
                   upstream_connection_takes(channel->connection, size_of(metadata, metadata_count, message));
    if (!at_once) {
        channel_send(channel, call, metadata, metadata_count, message);
        return 0;
    }
    channel->taken++;
    return fill(ops, metadata, metadata_count, message);
}

void channel_hang_up(struct channel *channel)
{
    struct upstream_connection *connection;
    LIST_FOREACH(connection, &channel->all, others)
    {
        upstream_connection_hang_up(connection);
    }
}

void channel_close(struct channel *channel)
{
    worker_disarm(channel->worker, &channel->timer);
    channel->connection = NULL;
    while (!LIST_EMPTY(&channel->all)) {
        upstream_connection_close(LIST_FIRST(&channel->all));
    }
    forget_absent(channel);
    channel->closed = true;
    end_if_drained(channel);
}
