#include "loop_mark.h"

#include <grpc/slice.h>
#include <grpc/support/alloc.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "core/transport/c_core.h"

#define MARK_KEY "crigate-passed"
#define MARK_SIZE 16 /* hexadecimal digits */

#define REFUSAL "this call has passed here before"
/* As call_fail reports it. */
#define DETAILS "crigate: " REFUSAL ","

static char mark[MARK_SIZE + 1];
static pthread_once_t made = PTHREAD_ONCE_INIT;

static void make_mark(void)
{
    uint64_t number;
    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) {
        abort();
    }
    snprintf(mark, sizeof mark, "%016" PRIx64, number);
}

grpc_metadata loop_mark_metadata(void)
{
    pthread_once(&made, make_mark);
    return (grpc_metadata){.key = grpc_slice_from_static_string(MARK_KEY), .value = grpc_slice_from_static_string(mark)};
}

static bool is_mark(const grpc_metadata *entry, const grpc_metadata *own)
{
    return bytes_equal(transport_slice_bytes(&entry->key), transport_slice_bytes(&own->key)) &&
           bytes_equal(transport_slice_bytes(&entry->value), transport_slice_bytes(&own->value));
}

bool loop_mark_is_there(const grpc_metadata *metadata, size_t count)
{
    grpc_metadata own = loop_mark_metadata();
    for (size_t i = 0; i < count; i++) {
        if (is_mark(&metadata[i], &own)) {
            return true;
        }
    }
    return false;
}

void loop_mark_add(grpc_metadata_array *metadata, size_t *forwardable)
{
    if (metadata->count == metadata->capacity) {
        metadata->capacity += 1;
        metadata->metadata = gpr_realloc(metadata->metadata, metadata->capacity * sizeof *metadata->metadata);
    }
    metadata->metadata[metadata->count++] = metadata->metadata[*forwardable]; /* of those that only crigate reads */
    metadata->metadata[(*forwardable)++] = loop_mark_metadata();
}

bool loop_mark_refuse(const char *listen, struct error *error)
{
    return error_set(error, STATUS_FAILED_PRECONDITION,
                     REFUSAL ", %s: an endpoint in the runtime map of this crigate, or of one behind it, leads back to it",
                     listen);
}

bool loop_mark_is_refusal(enum status_code code, struct bytes details)
{
    return code == STATUS_FAILED_PRECONDITION && bytes_start_with(details, bytes_of_string(DETAILS));
}
