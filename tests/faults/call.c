#include "tests/faults/call.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/commands/grpc_client.h"
#include "tests/faults/event.h"
#include "translate/bytes/arena.h"
#include "translate/json/json.h"
#include "translate/schema/method.h"

#define MOST_MESSAGE ((size_t)16 << 20)
#define MOST_METHODS 128
#define CODES 17

struct statistics {
    unsigned calls;
    unsigned codes[CODES];
    int64_t total;
    int64_t longest;
};

static const char *endpoint;
static atomic_uint numbers;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct statistics by_method[MOST_METHODS];
static int64_t *ends; /* of calls, by number; 0: not yet */
static unsigned end_capacity;

void call_set_endpoint(const char *address)
{
    endpoint = address;
}

struct receiver {
    const struct schema_message *schema;
    struct json_object *response;
};

static bool receive(void *state, struct bytes message)
{
    struct receiver *receiver = state;
    struct error error = {0};
    json_object_put(receiver->response);
    receiver->response = json_from_message(receiver->schema, message, JSON_EXACT, &error);
    return true;
}

static void note_end(unsigned number, int64_t ended)
{
    if (number >= end_capacity) {
        unsigned capacity = 2 * number + 1024;
        ends = realloc(ends, capacity * sizeof *ends);
        if (!ends) {
            abort();
        }
        memset(ends + end_capacity, 0, (capacity - end_capacity) * sizeof *ends);
        end_capacity = capacity;
    }
    ends[number] = ended;
}

int64_t call_ended(unsigned number)
{
    pthread_mutex_lock(&lock);
    int64_t ended = number < end_capacity ? ends[number] : 0;
    pthread_mutex_unlock(&lock);
    return ended ? ended : INT64_MAX;
}

static void count(const struct method *method, unsigned number, const struct call_answer *answer)
{
    struct statistics *statistics = &by_method[method - methods];
    int64_t took = answer->ended - answer->began;
    pthread_mutex_lock(&lock);
    note_end(number, answer->ended);
    statistics->calls++;
    statistics->codes[answer->code < CODES ? answer->code : STATUS_UNKNOWN]++;
    statistics->total += took;
    statistics->longest = took > statistics->longest ? took : statistics->longest;
    pthread_mutex_unlock(&lock);
}

struct call_answer call_make(enum dialect dialect, const char *name, struct json_object *request, unsigned timeout)
{
    struct call_answer answer = {0};
    struct error error = {0};
    struct bytes bytes;
    const struct method *method = method_by_name(name);
    struct arena *arena = arena_new(MOST_MESSAGE);
    if (!method || !arena || !json_to_message(method->in[dialect].request, request, false, arena, &bytes, &error)) {
        fprintf(stderr, "faults: %s: %s\n", name, error.message);
        abort();
    }
    char text[16];
    unsigned number = atomic_fetch_add(&numbers, 1) + 1;
    snprintf(text, sizeof text, "%u", number);
    struct client_metadata metadata = {bytes_of_string(CALL_NUMBER_KEY), bytes_of_string(text)};
    struct receiver receiver = {.schema = method->in[dialect].response};
    struct client_request call = {
        .endpoint = endpoint,
        .path = method->in[dialect].path,
        .timeout = timeout,
        .max_message = MOST_MESSAGE,
        .metadata = &metadata,
        .metadata_count = 1,
        .message = bytes,
        .on_message = receive,
        .state = &receiver,
    };
    answer.began = event_now();
    struct client_status status = client_run(&call);
    answer.ended = event_now();
    answer.code = status.code;
    snprintf(answer.message, sizeof answer.message, "%s", status.message ? status.message : "");
    free(status.message);
    arena_unref(arena);
    json_object_put(request);
    if (answer.code == STATUS_OK) {
        answer.response = receiver.response;
    } else {
        json_object_put(receiver.response);
    }
    count(method, number, &answer);
    return answer;
}

void call_answer_clear(struct call_answer *answer)
{
    json_object_put(answer->response);
    answer->response = NULL;
}

unsigned call_count(const char *name)
{
    const struct method *method = method_by_name(name);
    pthread_mutex_lock(&lock);
    unsigned calls = by_method[method - methods].calls;
    pthread_mutex_unlock(&lock);
    return calls;
}

unsigned call_successes(const char *name)
{
    const struct method *method = method_by_name(name);
    pthread_mutex_lock(&lock);
    unsigned successes = by_method[method - methods].codes[STATUS_OK];
    pthread_mutex_unlock(&lock);
    return successes;
}

static void print_line(FILE *out, const char *name, const struct statistics *statistics)
{
    fprintf(out, "  %-18s %7u calls, mean %5.1f ms, longest %6.1f ms;", name, statistics->calls,
            (double)statistics->total / statistics->calls / NANOSECONDS_A_MILLISECOND,
            (double)statistics->longest / NANOSECONDS_A_MILLISECOND);
    for (unsigned code = 0; code < CODES; code++) {
        if (statistics->codes[code] > 0) {
            fprintf(out, " %s %u", status_code_name((enum status_code)code), statistics->codes[code]);
        }
    }
    fputc('\n', out);
}

void call_print_statistics(FILE *out)
{
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < method_count; i++) {
        if (by_method[i].calls > 0) {
            print_line(out, methods[i].name, &by_method[i]);
        }
    }
    pthread_mutex_unlock(&lock);
}
