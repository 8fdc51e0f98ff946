/* Callers that ask for the same at once, on one connection, each with its own deadline, metadata and end.
 *
 * usage: scrapes unix:///SOCKET METHOD JSON GROUP...
 *
 * GROUP is COUNT:MILLISECONDS[:cancel=MILLISECONDS][:KEY=VALUE]: that many calls of CRI v1 with that deadline and metadata, which
 * are cancelled after that time. All calls are begun in that order, at once. Prints a line for each, in the same order: the
 * number of its group, how it ended, and the length of its answer. */
#include <grpc/byte_buffer.h>
#include <grpc/support/time.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes/error.h"
#include "one_call.h"

#define MOST_GROUPS 8
#define MOST_CALLS 1000

struct group {
    size_t count;
    long milliseconds;
    long cancel; /* -1: never */
    char *key, *value;
};

struct scrape {
    struct one_call call;
    const struct group *group;
};

struct scrapes {
    struct call_target target;
    struct group groups[MOST_GROUPS];
    size_t group_count;
    struct scrape calls[MOST_CALLS];
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
    struct scrape *scrape = &scrapes->calls[scrapes->count++];
    grpc_metadata metadata = {0};
    scrape->group = group;
    if (group->key) {
        metadata.key = grpc_slice_from_static_string(group->key);
        metadata.value = grpc_slice_from_static_string(group->value);
    }
    one_call_start(&scrape->call, &scrapes->target, after(scrapes, group->milliseconds), group->key ? &metadata : NULL);
    scrapes->left++;
}

/* Waits for calls to end, until the deadline. */
static void collect(struct scrapes *scrapes, gpr_timespec deadline)
{
    while (scrapes->left > 0 && grpc_completion_queue_next(scrapes->target.queue, deadline, NULL).type == GRPC_OP_COMPLETE) {
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
                grpc_call_cancel(scrapes->calls[j].call.call, NULL);
            }
        }
    }
}

static void report(struct scrapes *scrapes)
{
    for (size_t i = 0; i < scrapes->count; i++) {
        struct one_call *one = &scrapes->calls[i].call;
        printf("%td %s %zu\n", scrapes->calls[i].group - scrapes->groups, status_code_name((enum status_code)one->code),
               one->answer ? grpc_byte_buffer_length(one->answer) : 0);
        one_call_release(one);
    }
}

static bool read_arguments(int argc, char **argv, struct arena *arena, struct scrapes *scrapes)
{
    size_t count = 0;
    bool good = argc >= 5 && argc - 4 <= MOST_GROUPS && call_target_read(&scrapes->target, argv[2], argv[3], arena);
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
    call_target_open(&scrapes.target, argv[1]);
    scrapes.began = gpr_now(GPR_CLOCK_MONOTONIC);
    for (size_t i = 0; i < scrapes.group_count; i++) {
        for (size_t j = 0; j < scrapes.groups[i].count; j++) {
            start(&scrapes, &scrapes.groups[i]);
        }
    }
    cancel(&scrapes);
    collect(&scrapes, gpr_inf_future(GPR_CLOCK_MONOTONIC));
    report(&scrapes);
    call_target_close(&scrapes.target);
    arena_unref(arena);
    return EXIT_SUCCESS;
}
