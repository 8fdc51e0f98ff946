#include "request.h"

#include <ctype.h>
#include <string.h>

#include "core/transport/c_core.h"

/* In messages of the largest size: a request or response, and what it becomes for the other side. */
#define ARENA_MESSAGES 4
#define ARENA_BASE ((size_t)16 * 1024 * 1024)

size_t call_memory(size_t message_size)
{
    return ARENA_MESSAGES * message_size + ARENA_BASE;
}

/* The number at `at`, which is moved behind it and the character after it; large ones are cut down. */
static unsigned next_number(const char **at)
{
    enum { LARGE = 10000 };
    unsigned number = 0;
    for (; isdigit((unsigned char)**at); ++*at) {
        number = number * 10 + (unsigned)(**at - '0');
        number = number < LARGE ? number : LARGE;
    }
    *at += **at != '\0';
    return number;
}

static enum caller_age age_of(struct bytes agent)
{
    enum { FIRST = 1, SECOND = 13 };
    static const char go[] = "grpc-go/";
    char text[128] = "";
    memcpy(text, agent.data, agent.len < sizeof text ? agent.len : sizeof text - 1);
    const char *at = strstr(text, go);
    if (!at || !isdigit((unsigned char)at[sizeof go - 1])) {
        return CALLER_AGE_UNKNOWN;
    }
    at += sizeof go - 1;
    unsigned first = next_number(&at);
    return first > FIRST || (first == FIRST && next_number(&at) >= SECOND) ? CALLER_AGE_LATER : CALLER_AGE_UP_TO_1_12;
}

enum caller_age request_caller_age(const struct request *request)
{
    /* It is not passed on to runtimes, so it comes after everything that is. */
    for (size_t i = request->forwardable; i < request->metadata.count; i++) {
        const grpc_metadata *entry = &request->metadata.metadata[i];
        if (bytes_equal(transport_slice_bytes(&entry->key), bytes_of_string("user-agent"))) {
            return age_of(transport_slice_bytes(&entry->value));
        }
    }
    return CALLER_AGE_UNKNOWN;
}
