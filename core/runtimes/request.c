#include "request.h"

/* In messages of the largest size: a request or response, and what it becomes for the other side. */
#define ARENA_MESSAGES 4
#define ARENA_BASE ((size_t)16 * 1024 * 1024)

size_t call_memory(size_t message_size)
{
    return ARENA_MESSAGES * message_size + ARENA_BASE;
}
