/* Callers that ask for the same at once, on one connection, each with its own deadline, metadata and end.
 *
 * usage: scrapes unix:///SOCKET METHOD JSON GROUP...
 *
 * GROUP is COUNT:MILLISECONDS[:cancel=MILLISECONDS][:KEY=VALUE]: so many calls of CRI v1 with that deadline and metadata, which
 * are cancelled after that time. All calls are begun in that order, at once. Prints a line for each, in the same order: the
 * number of its group, how it ended, and the length of its answer. */
#include <grpc/byte_buffer.h>
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <grpc/support/time.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "translate/bytes/arena.h"
#include "translate/bytes/error.h"
#include "translate/json/json.h"
#include "translate/schema/method.h"

#define MOST_GROUPS 8
#define MOST_CALLS 1000

struct group {
    size_t count;
    long milliseconds;
    long cancel; /* -1: never */
    char *key, *value;
};

struct one_call {
    const struct group *group;
    grpc_call *call;
    grpc_metadata_array initial, trailing;
    grpc_byte_buffer *answer;
    grpc_status_code code;
    grpc_slice details;
};

struct scrapes {
    grpc_channel *channel;
    grpc_completion_queue *queue;
    const char *path;
    struct bytes request;
    struct group groups[MOST_GROUPS];
    size_t group_count;
    struct one_call calls[MOST_CALLS];
    size_t count, left;
    gpr_timespec began;
};

static bool read_group(char *text, struct group *group)
{
    char *part = strtok(text, ":");
    char *milliseconds = strtok(NULL, ":");
    *group = (struct group){.count = part ? strtoul(part, NULL, 10) : 0, .cancel = -1};
    group->milliseconds = milliseconds ? strtol(milliseconds, NULL, 10) : 0;
    while ((part = strtok(NULL, ":")) != NULL) {
        char *value = strchr(part, '=');
        if (!value) {
            return false;
        }
        *value++ = '\0';
        if (strcmp(part, "cancel") == 0) {
            group->cancel = strtol(value, NULL, 10);
        } else {
            group->key = part;
            group->value = value;
        }
    }
    return group->count > 0 && group->milliseconds > 0;
}

static gpr_timespec after(const struct scrapes *scrapes, long milliseconds)
{
    return gpr_time_add(scrapes->began, gpr_time_from_millis(milliseconds, GPR_TIMESPAN));
}

static void start(struct scrapes *scrapes, const struct group *group)
{
    struct one_call *one = &scrapes->calls[scrapes->count++];
    one->group = group;
    one->call =
        grpc_channel_create_call(scrapes->channel, NULL, GRPC_PROPAGATE_DEFAULTS, scrapes->queue,
                                 grpc_slice_from_static_string(scrapes->path), NULL, after(scrapes, group->milliseconds), NULL);
    grpc_metadata_array_init(&one->initial);
    grpc_metadata_array_init(&one->trailing);
    grpc_slice slice = grpc_slice_from_copied_buffer((const char *)scrapes->request.data, scrapes->request.len);
    grpc_byte_buffer *message = grpc_raw_byte_buffer_create(&slice, 1);
    grpc_metadata metadata = {0};
    if (group->key) {
        metadata.key = grpc_slice_from_static_string(group->key);
        metadata.value = grpc_slice_from_static_string(group->value);
    }
    grpc_op ops[] = {
        {.op = GRPC_OP_SEND_INITIAL_METADATA,
         .flags = GRPC_INITIAL_METADATA_WAIT_FOR_READY,
         .data.send_initial_metadata = {.count = group->key ? 1 : 0, .metadata = &metadata}},
        {.op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = message},
        {.op = GRPC_OP_SEND_CLOSE_FROM_CLIENT},
        {.op = GRPC_OP_RECV_INITIAL_METADATA, .data.recv_initial_metadata.recv_initial_metadata = &one->initial},
        {.op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &one->answer},
        {.op = GRPC_OP_RECV_STATUS_ON_CLIENT,
         .data.recv_status_on_client = {.trailing_metadata = &one->trailing,
                                        .status = &one->code,
                                        .status_details = &one->details}},
    };
    if (grpc_call_start_batch(one->call, ops, sizeof ops / sizeof ops[0], one, NULL) != GRPC_CALL_OK) {
        abort();
    }
    scrapes->left++;
    grpc_byte_buffer_destroy(message);
    grpc_slice_unref(slice);
}

/* Waits for calls to end, until the deadline. */
static void collect(struct scrapes *scrapes, gpr_timespec deadline)
{
    while (scrapes->left > 0 && grpc_completion_queue_next(scrapes->queue, deadline, NULL).type == GRPC_OP_COMPLETE) {
        scrapes->left--;
    }
}

static void cancel(struct scrapes *scrapes)
{
    for (size_t i = 0; i < scrapes->group_count; i++) {
        if (scrapes->groups[i].cancel < 0) {
            continue;
        }
        collect(scrapes, after(scrapes, scrapes->groups[i].cancel));
        for (size_t j = 0; j < scrapes->count; j++) {
            if (scrapes->calls[j].group == &scrapes->groups[i]) {
                grpc_call_cancel(scrapes->calls[j].call, NULL);
            }
        }
    }
}

static void report(struct scrapes *scrapes)
{
    for (size_t i = 0; i < scrapes->count; i++) {
        struct one_call *one = &scrapes->calls[i];
        printf("%td %s %zu\n", one->group - scrapes->groups, status_code_name((enum status_code)one->code),
               one->answer ? grpc_byte_buffer_length(one->answer) : 0);
        grpc_call_unref(one->call);
        grpc_metadata_array_destroy(&one->initial);
        grpc_metadata_array_destroy(&one->trailing);
        grpc_byte_buffer_destroy(one->answer);
        grpc_slice_unref(one->details);
    }
}

static bool encode(const char *name, const char *text, struct arena *arena, struct scrapes *scrapes)
{
    struct error error = {0};
    const struct method *method = method_by_name(name);
    struct json_object *json = json_tokener_parse(text);
    bool done =
        method && json && json_to_message(method->in[DIALECT_MODEL].request, json, false, arena, &scrapes->request, &error);
    scrapes->path = done ? method->in[DIALECT_MODEL].path : NULL;
    json_object_put(json);
    return done;
}

static bool read_arguments(int argc, char **argv, struct arena *arena, struct scrapes *scrapes)
{
    size_t count = 0;
    bool good = argc >= 5 && argc - 4 <= MOST_GROUPS && encode(argv[2], argv[3], arena, scrapes);
    for (int i = 4; good && i < argc; i++) {
        struct group *group = &scrapes->groups[scrapes->group_count++];
        good = read_group(argv[i], group);
        count += group->count;
    }
    return good && count <= MOST_CALLS;
}

int main(int argc, char **argv)
{
    static struct scrapes scrapes;
    struct arena *arena = arena_new((size_t)1024 * 1024);
    if (!read_arguments(argc, argv, arena, &scrapes)) {
        fputs("usage: scrapes unix:///SOCKET METHOD JSON COUNT:MILLISECONDS[:cancel=MILLISECONDS][:KEY=VALUE]...\n", stderr);
        return 2;
    }
    grpc_init();
    grpc_channel_credentials *credentials = grpc_insecure_credentials_create();
    scrapes.queue = grpc_completion_queue_create_for_next(NULL);
    scrapes.channel = grpc_channel_create(argv[1], credentials, NULL);
    scrapes.began = gpr_now(GPR_CLOCK_MONOTONIC);
    for (size_t i = 0; i < scrapes.group_count; i++) {
        for (size_t j = 0; j < scrapes.groups[i].count; j++) {
            start(&scrapes, &scrapes.groups[i]);
        }
    }
    cancel(&scrapes);
    collect(&scrapes, gpr_inf_future(GPR_CLOCK_MONOTONIC));
    report(&scrapes);
    grpc_channel_destroy(scrapes.channel);
    grpc_channel_credentials_release(credentials);
    grpc_completion_queue_shutdown(scrapes.queue);
    grpc_completion_queue_destroy(scrapes.queue);
    grpc_shutdown();
    arena_unref(arena);
    return EXIT_SUCCESS;
}
