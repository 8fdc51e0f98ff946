/* The yardstick: a bare pass-through on gRPC C core. One thread, one completion queue, nothing decoded; every unary call is
   carried from one Unix socket to another as bytes, with its metadata, deadline and cancellation. What crigate takes longer
   than this is crigate's own; the rest is C core's. With several runtimes it asks all of them and answers with their messages in
   sequence, and the first one's metadata and status. With a plugin it first calls that one each time, with a request that is
   always the same, and waits for its answer: the least that a hook can cost.

   --connected has the channels to the runtimes over connected descriptors, with C core's minimal stack: no name resolver, no load
   balancing, no reconnecting, and also no deadlines and size limits upstream. --no-deadlock-search does what crigate does about
   abseil's mutexes. */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <grpc/byte_buffer.h>
#include <grpc/grpc.h>
#include <grpc/grpc_posix.h>
#include <grpc/grpc_security.h>
#include <grpc/slice.h>

#include "core/transport/mutex_checks.h"

/* Calls that may arrive while the one thread is busy, without waiting for a request_call of their own. */
#define WAITING_CALLS 16

#define MOST_RUNTIMES 8

struct call;

/* The tag of a batch: what to do when it is done. */
struct step {
    void (*done)(struct call *call, bool success);
    struct call *call;
};

/* The call to one runtime. */
struct upstream {
    grpc_call *call;
    grpc_metadata_array initial_metadata;
    grpc_metadata_array trailing_metadata;
    grpc_byte_buffer *response;
    grpc_status_code status;
    grpc_slice status_details;
    struct step answered;
};

/* One call on its way. Lives from one request_call to the end of the last batch, then serves the next. */
struct call {
    struct call *next; /* among the idle ones */
    grpc_call *caller;
    unsigned running; /* batches under way; the call is over at none */

    grpc_call_details details;
    grpc_metadata_array caller_metadata;
    grpc_byte_buffer *request;
    int cancelled;

    struct upstream hook; /* if there is a plugin */
    struct upstream upstreams[MOST_RUNTIMES];
    size_t unanswered;

    struct step arrived, closed, received, sent;
};

static grpc_server *server;
static grpc_completion_queue *queue;
static grpc_channel *channels[MOST_RUNTIMES];
static size_t runtimes;

/* The plugin, if there is one. */
static struct {
    grpc_channel *channel;
    const char *path;
    grpc_byte_buffer *request;
} plugin;

static void on_arrived(struct call *call, bool success);
static void on_closed(struct call *call, bool success);
static void on_received(struct call *call, bool success);
static void on_hook_answered(struct call *call, bool success);
static void on_answered(struct call *call, bool success);
static void on_sent(struct call *call, bool success);

static void fail(const char *what)
{
    fprintf(stderr, "passthrough: %s\n", what);
    exit(1);
}

static void start_batch(struct call *call, grpc_call *on, const grpc_op *ops, size_t count, struct step *step)
{
    if (grpc_call_start_batch(on, ops, count, step, NULL) != GRPC_CALL_OK) {
        fail("C core refused a batch");
    }
    call->running++;
}

static void init_upstream(struct upstream *upstream, void (*done)(struct call *call, bool success), struct call *call)
{
    grpc_metadata_array_init(&upstream->initial_metadata);
    grpc_metadata_array_init(&upstream->trailing_metadata);
    upstream->status_details = grpc_empty_slice();
    upstream->answered = (struct step){done, call};
}

static void release_upstream(struct upstream *upstream)
{
    if (upstream->call) {
        grpc_call_unref(upstream->call);
    }
    grpc_byte_buffer_destroy(upstream->response);
    grpc_slice_unref(upstream->status_details);
    grpc_metadata_array_destroy(&upstream->initial_metadata);
    grpc_metadata_array_destroy(&upstream->trailing_metadata);
}

static void request_call(struct call *call)
{
    *call = (struct call){
        .arrived = {on_arrived, call},
        .closed = {on_closed, call},
        .received = {on_received, call},
        .sent = {on_sent, call},
    };
    grpc_call_details_init(&call->details);
    grpc_metadata_array_init(&call->caller_metadata);
    init_upstream(&call->hook, on_hook_answered, call);
    for (size_t i = 0; i < runtimes; i++) {
        init_upstream(&call->upstreams[i], on_answered, call);
    }
    if (grpc_server_request_call(server, &call->caller, &call->details, &call->caller_metadata, queue, queue, &call->arrived) !=
        GRPC_CALL_OK) {
        fail("C core takes no calls");
    }
}

static void release(struct call *call)
{
    grpc_call_unref(call->caller);
    release_upstream(&call->hook);
    for (size_t i = 0; i < runtimes; i++) {
        release_upstream(&call->upstreams[i]);
    }
    grpc_byte_buffer_destroy(call->request);
    grpc_call_details_destroy(&call->details);
    grpc_metadata_array_destroy(&call->caller_metadata);
}

/* Finished calls, for use again. */
static struct call *idle_calls;

static void batch_done(struct call *call)
{
    if (--call->running > 0) {
        return;
    }
    release(call);
    call->next = idle_calls;
    idle_calls = call;
}

static void request_next_call(void)
{
    struct call *call = idle_calls;
    if (call) {
        idle_calls = call->next;
    } else if (!(call = malloc(sizeof *call))) {
        fail("out of memory");
    }
    request_call(call);
}

static void on_arrived(struct call *call, bool success)
{
    if (!success) {
        fail("the server is gone");
    }
    grpc_op receive = {.op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &call->request};
    grpc_op close = {.op = GRPC_OP_RECV_CLOSE_ON_SERVER, .data.recv_close_on_server.cancelled = &call->cancelled};
    start_batch(call, call->caller, &receive, 1, &call->received);
    start_batch(call, call->caller, &close, 1, &call->closed);
    request_next_call();
}

static void on_closed(struct call *call, bool success)
{
    (void)success;
    batch_done(call);
}

/* All responses as one message, which is the first one's where there are no others. */
static grpc_byte_buffer *whole_response(struct call *call)
{
    grpc_byte_buffer *whole = call->upstreams[0].response;
    for (size_t i = 1; whole && i < runtimes; i++) {
        const struct upstream *upstream = &call->upstreams[i];
        if (upstream->status != GRPC_STATUS_OK || !upstream->response) {
            fail("a runtime failed");
        }
        const grpc_slice_buffer *slices = &upstream->response->data.raw.slice_buffer;
        for (size_t j = 0; j < slices->count; j++) {
            grpc_slice_buffer_add(&whole->data.raw.slice_buffer, grpc_slice_ref(slices->slices[j]));
        }
    }
    return whole;
}

static void answer(struct call *call)
{
    struct upstream *first = &call->upstreams[0];
    grpc_byte_buffer *response = whole_response(call);
    grpc_op ops[3] = {0};
    size_t count = 0;
    ops[count].op = GRPC_OP_SEND_INITIAL_METADATA;
    ops[count].data.send_initial_metadata.count = first->initial_metadata.count;
    ops[count++].data.send_initial_metadata.metadata = first->initial_metadata.metadata;
    if (response) {
        ops[count].op = GRPC_OP_SEND_MESSAGE;
        ops[count++].data.send_message.send_message = response;
    }
    ops[count].op = GRPC_OP_SEND_STATUS_FROM_SERVER;
    ops[count].data.send_status_from_server.status = first->status;
    ops[count].data.send_status_from_server.status_details = &first->status_details;
    ops[count].data.send_status_from_server.trailing_metadata_count = first->trailing_metadata.count;
    ops[count++].data.send_status_from_server.trailing_metadata = first->trailing_metadata.metadata;
    start_batch(call, call->caller, ops, count, &call->sent);
}

/* Everything that a runtime or plugin is to get and to give, in one batch. */
static void ask(struct call *call, struct upstream *upstream, grpc_channel *channel, grpc_slice method, grpc_byte_buffer *request)
{
    upstream->call = grpc_channel_create_call(channel, call->caller, GRPC_PROPAGATE_DEFAULTS, queue, method, NULL,
                                              gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
    grpc_op ops[] = {
        {.op = GRPC_OP_SEND_INITIAL_METADATA,
         .data.send_initial_metadata = {.count = call->caller_metadata.count, .metadata = call->caller_metadata.metadata}},
        {.op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = request},
        {.op = GRPC_OP_SEND_CLOSE_FROM_CLIENT},
        {.op = GRPC_OP_RECV_INITIAL_METADATA, .data.recv_initial_metadata.recv_initial_metadata = &upstream->initial_metadata},
        {.op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &upstream->response},
        {.op = GRPC_OP_RECV_STATUS_ON_CLIENT,
         .data.recv_status_on_client = {.trailing_metadata = &upstream->trailing_metadata,
                                        .status = &upstream->status,
                                        .status_details = &upstream->status_details}},
    };
    start_batch(call, upstream->call, ops, sizeof ops / sizeof ops[0], &upstream->answered);
}

static void ask_all(struct call *call)
{
    call->unanswered = runtimes;
    for (size_t i = 0; i < runtimes; i++) {
        ask(call, &call->upstreams[i], channels[i], call->details.method, call->request);
    }
}

static void ask_plugin(struct call *call)
{
    grpc_slice method = grpc_slice_from_copied_string(plugin.path);
    grpc_byte_buffer *request = grpc_byte_buffer_copy(plugin.request); /* C core empties what it sends */
    ask(call, &call->hook, plugin.channel, method, request);
    grpc_byte_buffer_destroy(request);
    grpc_slice_unref(method);
}

/* The request is there. */
static void on_received(struct call *call, bool success)
{
    if (!success || !call->request) {
        call->upstreams[0].status = GRPC_STATUS_INVALID_ARGUMENT;
        answer(call);
    } else if (plugin.channel) {
        ask_plugin(call);
    } else {
        ask_all(call);
    }
    batch_done(call);
}

static void on_hook_answered(struct call *call, bool success)
{
    (void)success;
    if (call->hook.status != GRPC_STATUS_OK) {
        fail("the plugin failed");
    }
    ask_all(call);
    batch_done(call);
}

static void on_answered(struct call *call, bool success)
{
    (void)success;
    if (--call->unanswered == 0) {
        answer(call);
    }
    batch_done(call);
}

static void on_sent(struct call *call, bool success)
{
    (void)success;
    batch_done(call);
}

static grpc_arg integer(const char *key, int value)
{
    return (grpc_arg){.type = GRPC_ARG_INTEGER, .key = (char *)key, .value.integer = value};
}

#define MOST_ARGUMENTS 16

struct arguments {
    grpc_arg list[MOST_ARGUMENTS];
    grpc_channel_args args;
};

/* What crigate uses, too. */
static void common_arguments(struct arguments *arguments)
{
    const grpc_arg common[] = {
        integer("grpc.per_message_compression", 0),
        integer("grpc.enable_retries", 0),
        integer("grpc.enable_channelz", 0),
        integer("grpc.http2.bdp_probe", 0),
        integer("grpc.http2.lookahead_bytes", 65536),
        integer("grpc.http2.max_ping_strikes", 0),
        integer("grpc.max_metadata_size", 1 << 20),
        integer("grpc.max_receive_message_length", 64 << 20),
        {.type = GRPC_ARG_STRING, .key = (char *)"grpc.default_authority", .value.string = (char *)"localhost"},
    };
    memcpy(arguments->list, common, sizeof common);
    arguments->args = (grpc_channel_args){.num_args = sizeof common / sizeof common[0], .args = arguments->list};
}

static void listen_at(const char *address)
{
    struct arguments arguments;
    common_arguments(&arguments);
    server = grpc_server_create(&arguments.args, NULL);
    grpc_server_register_completion_queue(server, queue, NULL);
    grpc_server_credentials *credentials = grpc_insecure_server_credentials_create();
    if (!grpc_server_add_http2_port(server, address, credentials)) {
        fail("cannot listen");
    }
    grpc_server_credentials_release(credentials);
    grpc_server_start(server);
}

/* A connection to an address in the form unix:///path. */
static int connect_to(const char *address)
{
    const char scheme[] = "unix://";
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (strncmp(address, scheme, strlen(scheme)) != 0) {
        fail("an address that does not begin with unix://");
    }
    snprintf(name.sun_path, sizeof name.sun_path, "%s", address + strlen(scheme));
    if (descriptor < 0 || connect(descriptor, (struct sockaddr *)(void *)&name, sizeof name) != 0) {
        fail("cannot connect to the runtime");
    }
    return descriptor;
}

static grpc_channel *channel_to(const char *address, bool connected)
{
    struct arguments arguments;
    common_arguments(&arguments);
    grpc_channel_credentials *credentials = grpc_insecure_credentials_create();
    grpc_channel *channel;
    if (connected) {
        arguments.list[arguments.args.num_args++] = integer("grpc.minimal_stack", 1);
        channel = grpc_channel_create_from_fd(address, connect_to(address), credentials, &arguments.args);
    } else {
        channel = grpc_channel_create(address, credentials, &arguments.args);
    }
    grpc_channel_credentials_release(credentials);
    return channel;
}

static void read_request(const char *path)
{
    static char bytes[1 << 20];
    FILE *file = fopen(path, "rb");
    if (!file) {
        fail("cannot read the plugin's request");
    }
    grpc_slice slice = grpc_slice_from_copied_buffer(bytes, fread(bytes, 1, sizeof bytes, file));
    plugin.request = grpc_raw_byte_buffer_create(&slice, 1);
    grpc_slice_unref(slice);
    fclose(file);
}

struct options {
    bool connected;
    bool no_deadlock_search;
    const char *plugin; /* address; NULL: none */
};

/* False if the words on the command line are wrong. What stays of them begins at optind. */
static bool read_options(struct options *options, int argc, char **argv)
{
    static const struct option known[] = {{"connected", no_argument, NULL, 'c'},
                                          {"no-deadlock-search", no_argument, NULL, 'n'},
                                          {"plugin", required_argument, NULL, 'p'},
                                          {0}};
    int option;
    while ((option = getopt_long(argc, argv, "+", known, NULL)) != -1) {
        if (option == 'c') {
            options->connected = true;
        } else if (option == 'n') {
            options->no_deadlock_search = true;
        } else if (option == 'p' && optind + 2 <= argc) {
            options->plugin = optarg;
            plugin.path = argv[optind++];
            read_request(argv[optind++]);
        } else {
            return false;
        }
    }
    return argc - optind >= 2 && argc - optind <= 1 + MOST_RUNTIMES;
}

static void start(const struct options *options, const char *listen_address, char **runtime_addresses)
{
    if (options->no_deadlock_search) {
        mutex_checks_end();
    }
    grpc_init();
    queue = grpc_completion_queue_create_for_next(NULL);
    for (size_t i = 0; i < runtimes; i++) {
        channels[i] = channel_to(runtime_addresses[i], options->connected);
    }
    if (options->plugin) {
        plugin.channel = channel_to(options->plugin, options->connected);
    }
    listen_at(listen_address);
}

int main(int argc, char **argv)
{
    struct options options = {0};
    if (!read_options(&options, argc, argv)) {
        fprintf(stderr, "usage: %s [--connected] [--no-deadlock-search] [--plugin ADDRESS PATH REQUEST_FILE] LISTEN RUNTIME...\n",
                argv[0]);
        fprintf(stderr, "       (addresses as unix:///path; up to %d runtimes)\n", MOST_RUNTIMES);
        return 2;
    }
    runtimes = (size_t)(argc - optind) - 1;
    start(&options, argv[optind], argv + optind + 1);
    for (int i = 0; i < WAITING_CALLS; i++) {
        request_next_call();
    }
    for (;;) {
        grpc_event event = grpc_completion_queue_next(queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
        if (event.type != GRPC_OP_COMPLETE) {
            fail("the completion queue is gone");
        }
        struct step *step = event.tag;
        step->done(step->call, event.success != 0);
    }
}
