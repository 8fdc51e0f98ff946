/* Callers of GetContainerEvents that only count what they hear.
 *
 * usage: event_counter unix:///SOCKET STREAMS [PAUSE]
 *
 * All streams share one connection. PAUSE is how many microseconds each stream waits before it takes its next event; `never`
 * takes none at all. It ends on SIGTERM, or when all streams have ended, with a line of JSON: the number of events, the least and
 * the most that a stream heard, how many streams the server ended and the code of the first of these, and the events a second
 * between the first one and the last. It prints such a line when it begins, too, and for each SIGUSR1. Exit status 0, whatever
 * came. */
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <grpc/support/time.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* How often, in milliseconds, signals and pauses are looked at. */
#define TURN 20

/* Any thread may take a signal, those of C core as well. */
static atomic_bool ended, asked;

enum part {
    PART_OPENED,
    PART_RECEIVED,
    PART_CLOSED,
};

struct tag {
    struct stream *stream;
    enum part part;
};

struct stream {
    struct tag tags[3];
    grpc_call *call;
    grpc_metadata_array initial, trailing;
    grpc_byte_buffer *message;
    grpc_status_code code;
    grpc_slice details;
    unsigned long heard;
    bool waits; /* before it takes the next */
    long long next;
    bool closed;
};

struct ears {
    grpc_completion_queue *queue;
    struct stream *streams;
    size_t count;
    size_t open;
    long pause; /* microseconds; negative: for ever */
    long long first, last;
};

static void on_signal(int signal)
{
    if (signal == SIGUSR1) {
        asked = true;
    } else {
        ended = true;
    }
}

/* Nanoseconds. */
static long long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void start(struct stream *stream, const grpc_op *ops, size_t count, enum part part)
{
    stream->tags[part] = (struct tag){stream, part};
    if (grpc_call_start_batch(stream->call, ops, count, &stream->tags[part], NULL) != GRPC_CALL_OK) {
        abort();
    }
}

static void take_next(struct stream *stream)
{
    grpc_op receive = {.op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &stream->message};
    stream->waits = false;
    start(stream, &receive, 1, PART_RECEIVED);
}

static void open_stream(struct ears *ears, grpc_channel *channel, struct stream *stream)
{
    stream->call = grpc_channel_create_call(channel, NULL, GRPC_PROPAGATE_DEFAULTS, ears->queue,
                                            grpc_slice_from_static_string("/runtime.v1.RuntimeService/GetContainerEvents"), NULL,
                                            gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
    stream->details = grpc_empty_slice();
    grpc_metadata_array_init(&stream->initial);
    grpc_metadata_array_init(&stream->trailing);
    grpc_slice empty = grpc_empty_slice();
    grpc_byte_buffer *request = grpc_raw_byte_buffer_create(&empty, 1);
    grpc_op ops[] = {{.op = GRPC_OP_SEND_INITIAL_METADATA},
                     {.op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = request},
                     {.op = GRPC_OP_SEND_CLOSE_FROM_CLIENT},
                     {.op = GRPC_OP_RECV_INITIAL_METADATA, .data.recv_initial_metadata.recv_initial_metadata = &stream->initial}};
    grpc_op close = {.op = GRPC_OP_RECV_STATUS_ON_CLIENT,
                     .data.recv_status_on_client = {
                         .trailing_metadata = &stream->trailing, .status = &stream->code, .status_details = &stream->details}};
    start(stream, ops, 4, PART_OPENED);
    start(stream, &close, 1, PART_CLOSED);
    grpc_byte_buffer_destroy(request);
    if (ears->pause >= 0) {
        take_next(stream);
    }
}

static void take_event(struct ears *ears, struct stream *stream)
{
    if (!stream->message) {
        return;
    }
    grpc_byte_buffer_destroy(stream->message);
    stream->message = NULL;
    stream->heard++;
    ears->last = now();
    ears->first = ears->first ? ears->first : ears->last;
    if (ears->pause > 0) {
        stream->waits = true;
        stream->next = ears->last + ears->pause * 1000;
    } else {
        take_next(stream);
    }
}

static void take_tag(struct ears *ears, const struct tag *tag)
{
    if (tag->part == PART_RECEIVED) {
        take_event(ears, tag->stream);
    } else if (tag->part == PART_CLOSED) {
        tag->stream->closed = true;
        ears->open--;
    }
}

static void print(const struct ears *ears)
{
    unsigned long all = 0, least = ears->streams[0].heard, most = 0;
    size_t closed = 0;
    int code = 0;
    for (size_t i = 0; i < ears->count; i++) {
        const struct stream *stream = &ears->streams[i];
        all += stream->heard;
        least = stream->heard < least ? stream->heard : least;
        most = stream->heard > most ? stream->heard : most;
        code = stream->closed && closed == 0 ? (int)stream->code : code;
        closed += stream->closed;
    }
    double seconds = (double)(ears->last - ears->first) / 1e9;
    printf("{\"events\":%lu,\"least\":%lu,\"most\":%lu,\"ended\":%zu,\"code\":%d,\"a_second\":%.0f}\n", all, least, most, closed,
           code, seconds > 0 ? (double)all / seconds : 0.0);
    fflush(stdout);
}

static void listen_until_ended(struct ears *ears)
{
    while (!ended && ears->open > 0) {
        gpr_timespec turn =
            gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_millis(ears->pause > 0 ? 1 : TURN, GPR_TIMESPAN));
        grpc_event event = grpc_completion_queue_next(ears->queue, turn, NULL);
        if (event.type == GRPC_OP_COMPLETE) {
            take_tag(ears, event.tag);
        }
        for (size_t i = 0; ears->pause > 0 && i < ears->count; i++) {
            if (ears->streams[i].waits && ears->streams[i].next <= now()) {
                take_next(&ears->streams[i]);
            }
        }
        if (atomic_exchange(&asked, false)) {
            print(ears);
        }
    }
}

int main(int argc, char **argv)
{
    struct ears ears = {.count = argc >= 3 ? strtoul(argv[2], NULL, 10) : 0};
    ears.streams = calloc(ears.count + 1, sizeof *ears.streams);
    if (ears.count == 0 || !ears.streams) {
        fprintf(stderr, "usage: event_counter unix:///SOCKET STREAMS [MICROSECONDS | never]\n");
        free(ears.streams);
        return 64;
    }
    ears.pause = argc < 4 ? 0 : strcmp(argv[3], "never") == 0 ? -1 : strtol(argv[3], NULL, 10);
    signal(SIGTERM, on_signal);
    signal(SIGUSR1, on_signal);
    grpc_init();
    grpc_channel_credentials *credentials = grpc_insecure_credentials_create();
    grpc_channel *channel = grpc_channel_create(argv[1], credentials, NULL);
    grpc_channel_credentials_release(credentials);
    ears.queue = grpc_completion_queue_create_for_next(NULL);
    ears.open = ears.count;
    for (size_t i = 0; i < ears.count; i++) {
        open_stream(&ears, channel, &ears.streams[i]);
    }
    print(&ears);
    listen_until_ended(&ears);
    print(&ears);
    /* The connection goes with the process, and the server sees callers that are gone. */
    _exit(0);
}
