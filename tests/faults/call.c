#include "tests/faults/call.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes/arena.h"
#include "core/transport/grpc_client.h"
#include "tests/faults/event.h"
#include "translate/json/json.h"
#include "translate/schema/method.h"

#define MOST_MESSAGE ((size_t)16 << 20)
#define MOST_METHODS 128
#define CODES 17

struct span {
    int64_t began; /* 0: not yet */
    int64_t ended; /* likewise */
    unsigned timeout;
    bool good;
};

struct statistics {
    unsigned calls;
    unsigned codes[CODES];
    int64_t total;
    int64_t longest;
};

static const char *endpoint;
static FILE *log_file; /* guarded by the lock */
static atomic_uint numbers;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct statistics by_method[MOST_METHODS];
static struct span *spans; /* of calls, by number */
static unsigned span_capacity;

void call_set_endpoint(const char *address)
{
    endpoint = address;
}

void call_open_log(const char *path)
{
    log_file = fopen(path, "we");
}

void call_close_log(void)
{
    if (log_file) {
        fclose(log_file);
        log_file = NULL;
    }
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

/* The caller holds the lock. */
static struct span *span_of(unsigned number)
{
    if (number >= span_capacity) {
        unsigned capacity = 2 * number + 1024;
        spans = realloc(spans, capacity * sizeof *spans);
        if (!spans) {
            abort();
        }
        memset(spans + span_capacity, 0, (capacity - span_capacity) * sizeof *spans);
        span_capacity = capacity;
    }
    return &spans[number];
}

static struct span copy_of_span(unsigned number)
{
    pthread_mutex_lock(&lock);
    struct span span = number < span_capacity ? spans[number] : (struct span){0};
    pthread_mutex_unlock(&lock);
    return span;
}

static void note_begin(unsigned number, int64_t began, unsigned timeout)
{
    pthread_mutex_lock(&lock);
    *span_of(number) = (struct span){.began = began, .timeout = timeout};
    pthread_mutex_unlock(&lock);
}

int64_t call_ended(unsigned number)
{
    int64_t ended = copy_of_span(number).ended;
    return ended ? ended : INT64_MAX;
}

int64_t call_began(unsigned number)
{
    int64_t began = copy_of_span(number).began;
    return began ? began : INT64_MIN;
}

bool call_succeeded(unsigned number)
{
    return copy_of_span(number).good;
}

unsigned call_timeout(unsigned number)
{
    return copy_of_span(number).timeout;
}

static void count(const struct method *method, unsigned number, const struct call_answer *answer)
{
    struct statistics *statistics = &by_method[method - methods];
    int64_t took = answer->ended - answer->began;
    pthread_mutex_lock(&lock);
    struct span *span = span_of(number);
    span->ended = answer->ended;
    span->good = answer->code == STATUS_OK;
    statistics->calls++;
    statistics->codes[answer->code < CODES ? answer->code : STATUS_UNKNOWN]++;
    statistics->total += took;
    statistics->longest = took > statistics->longest ? took : statistics->longest;
    if (log_file) {
        fprintf(log_file, "%u %s %s\n", number, method->name, status_code_name(answer->code));
        fflush(log_file);
    }
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
    answer.number = number;
    answer.began = event_now();
    note_begin(number, answer.began, timeout);
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
