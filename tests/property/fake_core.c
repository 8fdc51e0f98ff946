#include "fake_core.h"

#include <grpc/byte_buffer.h>
#include <grpc/byte_buffer_reader.h>
#include <grpc/slice.h>
#include <grpc/support/alloc.h>
#include <grpc/support/time.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/calls/call.h"
#include "core/loop/completion.h"
#include "tests/cmocka.h"

#define MOST_CALLS 4096
#define MOST_BATCHES 512
#define MOST_CHOICES 256
#define MOST_SEQUENCES 200000

/* ---- choices ---- */

static struct {
    bool random;
    bool calm; /* the first of each choice */
    uint64_t state;
    unsigned chosen[MOST_CHOICES], of[MOST_CHOICES];
    size_t count, next;
    unsigned sequences;
    bool refused; /* a batch, in this sequence */
} choices;

static unsigned at_random(unsigned count)
{
    choices.state ^= choices.state << 13;
    choices.state ^= choices.state >> 7;
    choices.state ^= choices.state << 17;
    return (unsigned)(choices.state >> 33) % count;
}

unsigned fake_choose(unsigned count)
{
    if (choices.random || choices.calm) {
        return choices.calm ? 0 : at_random(count);
    }
    assert_true(choices.next < MOST_CHOICES);
    if (choices.next == choices.count) {
        choices.chosen[choices.count] = 0;
        choices.of[choices.count++] = count;
    }
    assert_int_equal(choices.of[choices.next], count); /* the same choices lead to the same place */
    return choices.chosen[choices.next++];
}

void fake_choose_calm(void)
{
    choices.random = false;
    choices.calm = true;
}

void fake_choose_at_random(uint64_t seed)
{
    choices.random = true;
    choices.calm = false;
    choices.state = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

bool fake_choose_next_sequence(void)
{
    bool first = choices.sequences == 0 || choices.random || choices.calm;
    choices.random = choices.calm = choices.refused = false;
    choices.next = 0;
    if (first) {
        choices.count = 0;
        choices.sequences = 1;
        return true;
    }
    while (choices.count > 0 && choices.chosen[choices.count - 1] + 1 == choices.of[choices.count - 1]) {
        choices.count--;
    }
    if (choices.count == 0 || choices.sequences == MOST_SEQUENCES) {
        choices.sequences = 0;
        return false;
    }
    choices.chosen[choices.count - 1]++;
    choices.sequences++;
    return true;
}

bool fake_chance(unsigned times)
{
    return choices.random && at_random(times) == 0;
}

/* ---- calls ---- */

enum { OF_SERVER, OF_CLIENT };

struct fake_call {
    int side;
    int references;
    struct fake_call *parent; /* whose end cancels it; NULL: none */
    bool cancelled;           /* by crigate */
    bool hung_up;             /* the caller */
    bool asked[8];            /* by enum grpc_op_type: it may be asked for once (messages: once at a time) */
    bool ended;               /* the status came, or was sent */
    unsigned messages;        /* of the answer, that have not been taken */
    const char *message;      /* of the request */
    size_t size;
};

struct batch {
    struct fake_call *call; /* NULL: the worker has posted it to itself */
    struct completion *completion;
    grpc_op ops[8];
    size_t count;
};

static struct fake_call calls[MOST_CALLS];
static size_t calls_made;
static struct batch batches[MOST_BATCHES];
static size_t batch_count;
static bool trouble;

static struct expected {
    grpc_call **call;
    grpc_call_details *details;
    grpc_metadata_array *metadata;
    struct completion *completion;
} expected[32];
static unsigned expected_count;

void fake_trouble(bool on)
{
    trouble = on;
}

static struct fake_call *call_of(grpc_call *call)
{
    return (struct fake_call *)(void *)call;
}

static grpc_call *new_call(int side)
{
    assert_true(calls_made < MOST_CALLS);
    struct fake_call *call = &calls[calls_made++];
    *call = (struct fake_call){.side = side, .references = 1};
    return (grpc_call *)(void *)call;
}

static bool has_op(const struct batch *batch, grpc_op_type type)
{
    bool has = false;
    for (size_t i = 0; i < batch->count; i++) {
        has = has || batch->ops[i].op == type;
    }
    return has;
}

static bool receives(const struct batch *batch)
{
    return has_op(batch, GRPC_OP_RECV_INITIAL_METADATA) || has_op(batch, GRPC_OP_RECV_MESSAGE) ||
           has_op(batch, GRPC_OP_RECV_STATUS_ON_CLIENT) || has_op(batch, GRPC_OP_RECV_CLOSE_ON_SERVER);
}

static bool is_refused(void)
{
    bool refused = trouble && (choices.random ? fake_chance(12) : !choices.refused && fake_choose(2) == 1);
    choices.refused = choices.refused || refused;
    return refused;
}

/* ---- what callers are told ---- */

static struct fake_reply reply;

const struct fake_reply *fake_last_reply(void)
{
    return &reply;
}

static void note_status(grpc_status_code status, const char *details)
{
    reply.status = status;
    snprintf(reply.details, sizeof reply.details, "%s", details);
}

static void note_message(grpc_byte_buffer *message)
{
    grpc_byte_buffer_reader reader;
    grpc_slice slice;
    assert_true(grpc_byte_buffer_reader_init(&reader, message));
    while (grpc_byte_buffer_reader_next(&reader, &slice)) {
        for (size_t i = 0; i < GRPC_SLICE_LENGTH(slice); i++) {
            reply.messages = (reply.messages ^ GRPC_SLICE_START_PTR(slice)[i]) * UINT64_C(1099511628211);
        }
        grpc_slice_unref(slice);
    }
    grpc_byte_buffer_reader_destroy(&reader);
}

static bool is_over(const struct fake_call *call)
{
    return call->cancelled || call->hung_up || call->ended;
}

/* ---- in place of C core's ---- */

grpc_call_error __wrap_grpc_call_start_batch(grpc_call *grpc, const grpc_op *ops, size_t count, void *tag, void *reserved)
{
    struct fake_call *call = call_of(grpc);
    assert_null(reserved);
    assert_true(call->references > 0);
    if (is_refused()) {
        return GRPC_CALL_ERROR;
    }
    assert_true(batch_count < MOST_BATCHES);
    struct batch *batch = &batches[batch_count++];
    *batch = (struct batch){.call = call, .completion = tag, .count = count};
    for (size_t i = 0; i < count; i++) {
        assert_false(call->asked[ops[i].op]);
        call->asked[ops[i].op] = true;
        batch->ops[i] = ops[i];
        if (call->side == OF_SERVER && ops[i].op == GRPC_OP_SEND_MESSAGE) {
            note_message(ops[i].data.send_message.send_message);
        } else if (ops[i].op == GRPC_OP_SEND_STATUS_FROM_SERVER) {
            const grpc_slice *text = ops[i].data.send_status_from_server.status_details;
            char *details = text ? grpc_slice_to_c_string(*text) : NULL;
            note_status(ops[i].data.send_status_from_server.status, details ? details : "");
            gpr_free(details);
        }
    }
    return GRPC_CALL_OK;
}

grpc_call_error __wrap_grpc_call_cancel(grpc_call *call, void *reserved)
{
    assert_null(reserved);
    assert_true(call_of(call)->references > 0);
    call_of(call)->cancelled = true;
    return GRPC_CALL_OK;
}

grpc_call_error __wrap_grpc_call_cancel_with_status(grpc_call *call, grpc_status_code status, const char *text, void *reserved)
{
    assert_true(status != GRPC_STATUS_OK && text);
    if (call_of(call)->side == OF_SERVER && !is_over(call_of(call))) {
        note_status(status, text);
    }
    return __wrap_grpc_call_cancel(call, reserved);
}

void __wrap_grpc_call_ref(grpc_call *call)
{
    assert_true(call_of(call)->references > 0);
    call_of(call)->references++;
}

void __wrap_grpc_call_unref(grpc_call *call)
{
    assert_true(call_of(call)->references > 0);
    call_of(call)->references--;
    for (size_t i = 0; i < batch_count && call_of(call)->references == 0; i++) {
        assert_false(batches[i].call == call_of(call) && receives(&batches[i]));
    }
}

char *__wrap_grpc_call_get_peer(grpc_call *call)
{
    (void)call;
    char *peer = gpr_malloc(sizeof "unix:");
    return memcpy(peer, "unix:", sizeof "unix:");
}

uint32_t __wrap__Z37grpc_call_test_only_get_message_flagsP9grpc_call(grpc_call *call)
{
    return call_of(call)->side == OF_CLIENT && fake_chance(20) ? 1 : 0;
}

grpc_call *__wrap_grpc_channel_create_call(grpc_channel *channel, grpc_call *parent, uint32_t mask, grpc_completion_queue *queue,
                                           grpc_slice method, const grpc_slice *host, gpr_timespec deadline, void *reserved)
{
    (void)channel, (void)mask, (void)queue, (void)method, (void)host, (void)deadline, (void)reserved;
    grpc_call *call = new_call(OF_CLIENT);
    call_of(call)->parent = parent ? call_of(parent) : NULL;
    call_of(call)->messages = choices.calm ? 1 : fake_choose(choices.random ? 4 : 2);
    return call;
}

static char a_channel, a_server;

grpc_channel *__wrap_grpc_lame_client_channel_create(const char *target, grpc_status_code code, const char *text)
{
    (void)target, (void)code, (void)text;
    return (grpc_channel *)(void *)&a_channel;
}

void __wrap_grpc_channel_destroy(grpc_channel *channel)
{
    assert_ptr_equal(channel, &a_channel);
}

grpc_server *__wrap_transport_server(grpc_completion_queue *queue, const void *bounds)
{
    (void)queue, (void)bounds;
    return (grpc_server *)(void *)&a_server;
}

void __wrap_grpc_server_start(grpc_server *server)
{
    assert_ptr_equal(server, &a_server);
}

void __wrap_grpc_server_destroy(grpc_server *server)
{
    assert_ptr_equal(server, &a_server);
}

grpc_call_error __wrap_grpc_server_request_call(grpc_server *server, grpc_call **call, grpc_call_details *details,
                                                grpc_metadata_array *metadata, grpc_completion_queue *queue,
                                                grpc_completion_queue *notified, void *tag)
{
    (void)server, (void)queue, (void)notified;
    assert_true(expected_count < sizeof expected / sizeof expected[0]);
    expected[expected_count++] = (struct expected){call, details, metadata, tag};
    return GRPC_CALL_OK;
}

bool __wrap_worker_post(void *worker, struct completion *completion)
{
    (void)worker;
    assert_true(batch_count < MOST_BATCHES);
    batches[batch_count++] = (struct batch){.completion = completion};
    return true;
}

/* ---- memory ---- */

static struct {
    unsigned long number, failing;
} allocations;

void fake_fail_allocation(unsigned long number)
{
    allocations.number = 0;
    allocations.failing = number;
}

bool fake_allocation_failed(void)
{
    return allocations.failing > 0 && allocations.number >= allocations.failing;
}

static bool has_room(void)
{
    return allocations.failing == 0 || ++allocations.number != allocations.failing;
}

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size)
{
    bool refused = trouble && size == sizeof(struct call) && fake_chance(4);
    return !refused && has_room() ? __real_calloc(count, size) : NULL;
}

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
    return has_room() ? __real_malloc(size) : NULL;
}

void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size)
{
    return has_room() ? __real_realloc(old, size) : NULL;
}

char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text)
{
    return has_room() ? __real_strdup(text) : NULL;
}

char *__real_strndup(const char *text, size_t size);
char *__wrap_strndup(const char *text, size_t size)
{
    return has_room() ? __real_strndup(text, size) : NULL;
}

/* Most of what a call takes comes out of its arena, which asks for memory seldom: each of these counts, too. */

void *__real_arena_alloc(struct arena *arena, size_t size);
void *__wrap_arena_alloc(struct arena *arena, size_t size)
{
    return has_room() ? __real_arena_alloc(arena, size) : NULL;
}

void *__real_arena_zalloc(struct arena *arena, size_t size);
void *__wrap_arena_zalloc(struct arena *arena, size_t size)
{
    return has_room() ? __real_arena_zalloc(arena, size) : NULL;
}

struct bytes __real_arena_copy(struct arena *arena, struct bytes bytes);
struct bytes __wrap_arena_copy(struct arena *arena, struct bytes bytes)
{
    return has_room() ? __real_arena_copy(arena, bytes) : (struct bytes){0};
}

struct bytes __real_arena_join(struct arena *arena, const struct bytes *parts, size_t count);
struct bytes __wrap_arena_join(struct arena *arena, const struct bytes *parts, size_t count)
{
    return has_room() ? __real_arena_join(arena, parts, count) : (struct bytes){0};
}

char *__real_arena_string(struct arena *arena, struct bytes bytes);
char *__wrap_arena_string(struct arena *arena, struct bytes bytes)
{
    return has_room() ? __real_arena_string(arena, bytes) : NULL;
}

/* ---- what the peers do ---- */

bool fake_arrive(const char *method, const char *message, size_t size, int64_t milliseconds)
{
    if (expected_count == 0) {
        return false;
    }
    struct expected next = expected[--expected_count];
    reply = (struct fake_reply){.status = GRPC_STATUS_UNKNOWN};
    *next.call = new_call(OF_SERVER);
    call_of(*next.call)->message = message;
    call_of(*next.call)->size = size;
    next.details->method = grpc_slice_from_copied_string(method);
    next.details->deadline = gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_millis(milliseconds, GPR_TIMESPAN));
    next.completion->run(next.completion, true);
    return true;
}

unsigned fake_expected(void)
{
    return expected_count;
}

void fake_end_expected(void)
{
    while (expected_count > 0) {
        struct expected next = expected[--expected_count];
        next.completion->run(next.completion, false);
    }
}

/* A status comes once all messages have been taken, or none is wanted any more; so does the word that a caller is gone. */
static bool is_due(const struct batch *batch)
{
    const struct fake_call *call = batch->call;
    if (has_op(batch, GRPC_OP_RECV_CLOSE_ON_SERVER)) {
        return is_over(call);
    }
    bool whole = has_op(batch, GRPC_OP_RECV_MESSAGE);
    return !has_op(batch, GRPC_OP_RECV_STATUS_ON_CLIENT) || whole || call->messages == 0 || call->cancelled;
}

static grpc_byte_buffer *message_of(const char *bytes, size_t size)
{
    grpc_slice slice = grpc_slice_from_copied_buffer(bytes, size);
    grpc_byte_buffer *buffer = grpc_raw_byte_buffer_create(&slice, 1);
    grpc_slice_unref(slice);
    return buffer;
}

/* A list of containers that is longer than what may wait for a caller. */
static grpc_byte_buffer *long_list(void)
{
    static char bytes[300 * 1024];
    static const char item[] = "\x0a\x82\x08\x0a\xff\x07"; /* of 1,026 bytes, with an id of 1,023 */
    enum { ITEM = 3 + 1026 };
    size_t size = 0;
    for (; bytes[0] == 0 && size + ITEM <= sizeof bytes; size += ITEM) {
        memset(bytes + size, 'c', ITEM);
        memcpy(bytes + size, item, sizeof item - 1);
    }
    return message_of(bytes, sizeof bytes / ITEM * ITEM);
}

static grpc_byte_buffer *next_message(struct fake_call *call)
{
    static const struct {
        const char *bytes;
        size_t size;
    } answers[] = {
        {"", 0},
        {"\x0a\x04\x0a\x02"
         "c1",
         6},
        {"\xff", 1},
    };
    if (call->side == OF_SERVER) {
        return call->cancelled || call->hung_up ? NULL : message_of(call->message, call->size);
    }
    /* What has arrived is handed over, or not, when the call is cancelled. */
    if (call->messages == 0 || (call->cancelled && fake_choose(2))) {
        call->messages = 0;
        return NULL;
    }
    call->messages--;
    if (fake_chance(12)) {
        return long_list();
    }
    size_t which = choices.random ? at_random(sizeof answers / sizeof answers[0]) : choices.calm ? 1 : 0;
    return message_of(answers[which].bytes, answers[which].size);
}

static void fill_status(struct fake_call *call, const grpc_op *op)
{
    static const struct {
        grpc_status_code code;
        const char *details;
    } ends[] = {
        {GRPC_STATUS_OK, ""},
        {GRPC_STATUS_UNIMPLEMENTED, "unknown method"},
        {GRPC_STATUS_RESOURCE_EXHAUSTED, "too long"},
        {GRPC_STATUS_OK, ""},
        {GRPC_STATUS_UNKNOWN, "not implemented"},
        {GRPC_STATUS_DEADLINE_EXCEEDED, "Deadline Exceeded"},
        {GRPC_STATUS_CANCELLED, "CANCELLED"},
        {GRPC_STATUS_UNAVAILABLE, "lost"},
        {GRPC_STATUS_OK, ""},
        {GRPC_STATUS_UNIMPLEMENTED, "unknown service runtime.v1.RuntimeService"},
    };
    /* An answer may have been there before the cancellation; each sequence is tried with a good end and a bad one. */
    size_t which = call->cancelled && fake_choose(2) ? 6
                   : choices.random                  ? at_random(sizeof ends / sizeof ends[0])
                                                     : fake_choose(2);
    *op->data.recv_status_on_client.status = ends[which].code;
    *op->data.recv_status_on_client.status_details = grpc_slice_from_copied_string(ends[which].details);
    call->ended = true;
}

static bool fill(struct batch *batch)
{
    struct fake_call *call = batch->call;
    bool over = call && is_over(call);
    bool good = true;
    for (size_t i = 0; i < batch->count; i++) {
        const grpc_op *op = &batch->ops[i];
        switch (op->op) {
        case GRPC_OP_RECV_MESSAGE:
            *op->data.recv_message.recv_message = next_message(call);
            call->asked[op->op] = false;
            break;
        case GRPC_OP_RECV_STATUS_ON_CLIENT:
            fill_status(call, op);
            break;
        case GRPC_OP_RECV_CLOSE_ON_SERVER:
            *op->data.recv_close_on_server.cancelled = call->cancelled || call->hung_up;
            break;
        case GRPC_OP_SEND_MESSAGE:
            call->asked[op->op] = false;
            good = good && !over;
            break;
        case GRPC_OP_SEND_STATUS_FROM_SERVER:
            call->ended = call->ended || !over;
            good = good && !over;
            break;
        case GRPC_OP_SEND_INITIAL_METADATA:
        case GRPC_OP_SEND_CLOSE_FROM_CLIENT:
        case GRPC_OP_RECV_INITIAL_METADATA:
            good = good && !over;
            break;
        }
    }
    return good;
}

static void complete(size_t index)
{
    struct batch batch = batches[index];
    batches[index] = batches[--batch_count];
    bool good = fill(&batch);
    batch.completion->run(batch.completion, good);
}

static bool may_hang_up(const struct fake_call *call)
{
    return call->side == OF_SERVER && call->references > 0 && !is_over(call) && call->asked[GRPC_OP_RECV_CLOSE_ON_SERVER];
}

static struct fake_call *next_caller(size_t *at)
{
    while (*at < calls_made && !may_hang_up(&calls[*at])) {
        ++*at;
    }
    return *at < calls_made ? &calls[(*at)++] : NULL;
}

bool fake_step(enum fake_callers callers)
{
    size_t due[MOST_BATCHES], count = 0, leaving_count = 0, at = 0;
    struct fake_call *leaving[MOST_CALLS], *caller;
    while (callers != CALLERS_WAIT && (caller = next_caller(&at)) != NULL) {
        caller->hung_up = callers == CALLERS_LEAVE;
        leaving[leaving_count++] = caller;
    }
    for (size_t i = 0; i < batch_count; i++) {
        if (is_due(&batches[i])) {
            due[count++] = i;
        }
    }
    if (count == 0) {
        return false;
    }
    bool may_leave = callers == CALLERS_MAY_LEAVE && leaving_count > 0 && (!choices.random || fake_chance(10));
    size_t which = fake_choose((unsigned)(count + (may_leave ? leaving_count : 0)));
    if (which < count) {
        complete(due[which]);
    } else {
        leaving[which - count]->hung_up = true;
    }
    return true;
}

void fake_leave(void)
{
    size_t at = 0, i = 0;
    for (struct fake_call *caller = next_caller(&at); caller; caller = next_caller(&at)) {
        caller->hung_up = true;
    }
    while (i < batch_count) {
        bool is_word = batches[i].call && has_op(&batches[i], GRPC_OP_RECV_CLOSE_ON_SERVER) && is_over(batches[i].call);
        if (is_word) {
            complete(i);
        }
        i = is_word ? 0 : i + 1;
    }
}

static bool is_awaited(const struct fake_call *call)
{
    bool awaited = false;
    for (size_t i = 0; i < batch_count; i++) {
        awaited = awaited || (batches[i].call == call && receives(&batches[i]));
    }
    return awaited;
}

unsigned fake_working(void)
{
    unsigned count = 0;
    for (size_t i = 0; i < calls_made; i++) {
        const struct fake_call *call = &calls[i];
        bool cancelled = call->cancelled || (call->parent && is_over(call->parent));
        count += call->side == OF_CLIENT && !cancelled && is_awaited(call);
    }
    return count;
}

void fake_end(void)
{
    assert_int_equal(batch_count, 0);
    for (size_t i = 0; i < calls_made; i++) {
        assert_int_equal(calls[i].references, 0);
        assert_true(is_over(&calls[i]) || calls[i].side == OF_CLIENT);
    }
    calls_made = 0;
    expected_count = 0;
}
