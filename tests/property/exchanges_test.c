/* Calls of all kinds against runtimes and plugins that answer in any order, fail at any moment, and callers that leave at any
   moment, while batches are refused: each call ends once, and all is released once. The code is the gateway's own, from the
   arrival of a call to its end; what C core does is chosen by fake_core.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log/log.h"
#include "core/calls/dispatch.h"
#include "core/calls/downstream_stream.h"
#include "core/events/hub.h"
#include "core/hooks/hooks.h"
#include "core/knowledge/knowledge.h"
#include "core/knowledge/learn.h"
#include "core/runtimes/relist.h"
#include "core/runtimes/stream.h"
#include "fake_core.h"
#include "tests/cmocka.h"
#include "tests/unit/core/map/map_fixture.h"
#include "translate/koordinator/koordinator.h"

#define EXPECTED_CALLS 16

/* ---- a gateway without a worker's thread ---- */

static struct {
    struct worker worker;
    struct knowledge knowledge;
    struct hooks hooks;
    struct call_server server;
    struct runtime_callbacks runtime_callbacks;
    struct event_hub *events;
    struct generation *generation;
    unsigned slots;
    unsigned ended; /* calls */
    bool refused;   /* no more calls can come */
    bool changed;   /* the state of a runtime has */
    uint64_t seed;  /* of what is chosen at random */
    unsigned told;  /* lines of the log about runtimes that do not stream events */
} node;

/* What all runtimes speak, but where chance has it otherwise. */
static enum dialect spoken = DIALECT_MODEL;

static bool on_line(const struct log_entry *entry)
{
    node.told += strstr(entry->message, "does not stream events") != NULL;
    return true;
}

static void on_ended(void *state)
{
    node.ended++;
}

static void on_refused(void *state)
{
    assert_false(node.refused);
    node.refused = true;
}

static void on_listen(void *state, struct call *call)
{
    event_hub_listen(node.events, call);
}

static void on_changed(void *state, struct runtime *runtime)
{
    node.changed = true;
    event_hub_runtime_changed(node.events, runtime);
    if (node.server.generation) {
        dispatch_unpark_all(&node.server);
    }
}

static void on_let_go(void *state)
{
}

static struct list_asked_at on_asked(void *state, struct runtime *runtime)
{
    return list_asked_at(&node.knowledge, runtime);
}

static void on_listed(void *state, struct runtime *runtime, const struct method *method, struct bytes list,
                      struct list_asked_at marks)
{
    (void)state, (void)runtime, (void)method, (void)list, (void)marks;
}

static struct runtime_task *on_list_all(void *state, struct runtime *runtime, runtime_lists_done *done)
{
    return relist_start(runtime, &(struct relist_callbacks){.state = state, .asked = on_asked, .listed = on_listed}, done);
}

static struct runtime *on_make(void *state, const struct runtime_entry *entry)
{
    struct runtime *runtime = runtime_new(entry, node.slots++, &node.worker, 1 << 20, &node.runtime_callbacks);
    assert_non_null(runtime);
    worker_disarm(&node.worker, &runtime->connection.channel.timer); /* it never connects */
    runtime->connection.channel.state = CHANNEL_UP;
    runtime->state = RUNTIME_READY;
    runtime->dialect = spoken;
    runtime->connections = 1;
    snprintf(runtime->version_name, sizeof runtime->version_name, "%s",
             fake_chance(4)   ? "cri-o"
             : fake_chance(4) ? "docker"
                              : "fake");
    if (fake_chance(6)) {
        runtime->dialect = (enum dialect)fake_choose(DIALECT_COUNT);
    }
    return runtime;
}

static void disarm_all(void)
{
    while (!TAILQ_EMPTY(&node.worker.timers)) {
        worker_disarm(&node.worker, TAILQ_FIRST(&node.worker.timers));
    }
}

static void set_plugins(bool fail)
{
    const struct plugin_settings plugins[] = {
        {.name = "one",
         .endpoint = "unix:///nowhere/one",
         .protocol = &koordinator_protocol,
         .stages = UINT32_MAX,
         .timeout = 1000},
        {.name = "two",
         .endpoint = "unix:///nowhere/two",
         .protocol = &koordinator_protocol,
         .stages = UINT32_MAX,
         .timeout = 1000,
         .fail = fail},
    };
    hooks_set_plugins(&node.hooks, &(struct plugin_list){.plugins = plugins, .count = 2});
    disarm_all(); /* they never connect */
    for (size_t i = 0; i < node.hooks.plugins.count; i++) {
        node.hooks.plugins.plugins[i]->channel.state = CHANNEL_UP;
        node.hooks.plugins.plugins[i]->state = PLUGIN_READY;
    }
}

static void begin_node(const char *map)
{
    struct runtime_map_problems problems = {0};
    memset(&node, 0, sizeof node);
    TAILQ_INIT(&node.worker.turns);
    TAILQ_INIT(&node.worker.timers);
    node.server = (struct call_server){.worker = &node.worker,
                                       .knowledge = &node.knowledge,
                                       .hooks = &node.hooks,
                                       .callbacks = {.ended = on_ended, .refused = on_refused, .listen = on_listen},
                                       .trim.worker = &node.worker};
    node.runtime_callbacks = (struct runtime_callbacks){.changed = on_changed, .let_go = on_let_go, .list_all = on_list_all};
    node.events = event_hub_new(&node.server);
    assert_true(knowledge_init(&node.knowledge, &node.worker) && node.events);
    hooks_init(&node.hooks, &node.worker, false, on_let_go, NULL);
    struct runtime_map *parsed = runtime_map_parse("map", map, strlen(map), &problems);
    assert_non_null(parsed);
    runtime_map_problems_clear(&problems);
    node.generation = generation_new(parsed, NULL, on_make, NULL);
    assert_non_null(node.generation);
    node.server.generation = node.knowledge.generation = node.generation;
    assert_true(dispatch_begin(&node.server));
    disarm_all(); /* looks at memory and at idle callers */
}

/* The next turn, or the next timer, whatever the time. */
static bool fire(void)
{
    struct turn *turn = TAILQ_FIRST(&node.worker.turns);
    struct timer *timer = TAILQ_FIRST(&node.worker.timers);
    if (turn) {
        TAILQ_REMOVE(&node.worker.turns, turn, place);
        turn->waits = false;
        turn->completion.run(&turn->completion, true);
    } else if (timer) {
        worker_disarm(&node.worker, timer);
        timer->completion.run(&timer->completion, true);
    }
    return turn || timer;
}

/* The primary comes, for which calls may have waited. */
static void be_ready(void)
{
    node.server.primary_may_come = false;
    generation_primary(node.generation)->state = RUNTIME_READY;
    dispatch_unpark_all(&node.server);
}

static unsigned listeners(void)
{
    unsigned count = 0;
    for (struct call *call = LIST_FIRST(&node.server.in_flight); call; call = LIST_NEXT(call, flight)) {
        count += call->downstream && call->downstream->listener->stopping;
    }
    return count;
}

/* Until only listeners to events are left: all that was begun ends without anybody's leaving. */
static void drain(void)
{
    unsigned steps = 0;
    fake_trouble(false);
    if (node.server.primary_may_come) {
        be_ready();
    }
    while (node.server.calls > listeners()) {
        assert_true(steps++ < 5000);
        if (!fake_step(CALLERS_WAIT) && !fire()) {
            fail_msg("seed %llu: a call never ends", (unsigned long long)node.seed);
        }
    }
}

static void end_node(void)
{
    drain();
    assert_int_equal(node.server.expected, EXPECTED_CALLS);
    assert_int_equal(fake_expected(), EXPECTED_CALLS);
    assert_true(node.told <= node.generation->map->runtime_count); /* once on a connection, of which each has one */
    event_hub_stop(node.events);
    while (fake_step(CALLERS_LEAVE)) {
    }
    assert_int_equal(node.server.calls, 0);
    assert_int_equal(node.server.streams, 0);
    for (size_t i = 0; i < node.generation->map->runtime_count; i++) {
        assert_int_equal(node.generation->runtimes[i]->calls, 0);
        assert_true(LIST_EMPTY(&node.generation->runtimes[i]->shared.asking));
        assert_true(LIST_EMPTY(&node.generation->runtimes[i]->shared.composing));
    }
    fake_end_expected();
    assert_true(node.refused);
    hooks_set_plugins(&node.hooks, NULL);
    node.server.generation = node.knowledge.generation = NULL;
    generation_unref(node.generation);
    while (fake_step(CALLERS_LEAVE)) {
    }
    fake_end();
    dispatch_end(&node.server);
    hooks_clear(&node.hooks);
    event_hub_free(node.events);
    knowledge_free(&node.knowledge);
}

/* ---- calls ---- */

struct kind {
    const char *method;
    const char *message;
    size_t size;
};

#define V1 "/runtime.v1.RuntimeService/"
#define MESSAGE(text) (text), sizeof(text) - 1

static const struct kind kinds[] = {
    {V1 "FutureThing", MESSAGE("")},
    {"/runtime.v1.ImageService/FutureThing", MESSAGE("")},
    {V1 "Version", MESSAGE("")},
    {V1 "Status", MESSAGE("")},
    {V1 "ListContainers", MESSAGE("")},
    {V1 "StreamContainers", MESSAGE("")},
    {V1 "StreamPodSandboxes", MESSAGE("")},
    {V1 "ListContainerStats", MESSAGE("")},
    {V1 "ListPodSandboxMetrics", MESSAGE("")},
    {V1 "ListMetricDescriptors", MESSAGE("")},
    {V1 "RuntimeConfig", MESSAGE("")},
    {"/runtime.v1.ImageService/ImageFsInfo", MESSAGE("")},
    {"/runtime.v1.ImageService/ListImages", MESSAGE("")},
    {V1 "ContainerStatus", MESSAGE("\x0a\x01x")},
    {V1 "StopContainer", MESSAGE("\x0a\x01x")},
    {V1 "StartContainer", MESSAGE("\x0a\x01x")},
    {V1 "RemovePodSandbox", MESSAGE("\x0a\x01x")},
    {V1 "UpdateContainerResources", MESSAGE("\x0a\x01x\x12\x00")},
    {V1 "CreateContainer", MESSAGE("\x0a\x01x\x12\x05\x0a\x03\x0a\x01z\x1a\x0b\x0a\x09\x0a\x01p\x12\x01u\x1a\x01n")},
    {V1 "PodSandboxStats", MESSAGE("\x0a\x01x")},
    {V1 "ListPodSandboxStats", MESSAGE("")},
    {V1 "RunPodSandbox", MESSAGE("\x0a\x0b\x0a\x09\x0a\x01p\x12\x01u\x1a\x01n")},
    {V1 "GetContainerEvents", MESSAGE("")},
};

static bool arrive(const struct kind *kind)
{
    return fake_arrive(kind->method, kind->message, kind->size, 600000);
}

static const char one_runtime[] = "listen: unix:///nowhere/crigate\n"
                                  "state: /nowhere/state\n"
                                  "hooks: true\n"
                                  "runtimes:\n"
                                  "  - {name: main, endpoint: unix:///nowhere/main, primary: true}\n";

static const char several_runtimes[] = "listen: unix:///nowhere/crigate\n"
                                       "state: /nowhere/state\n"
                                       "hooks: true\n"
                                       "events: {compose: always}\n"
                                       "runtimes:\n"
                                       "  - {name: main, endpoint: unix:///nowhere/main, primary: true}\n"
                                       "  - {name: plain, endpoint: unix:///nowhere/plain, ids: plain}\n"
                                       "  - {name: other.local, endpoint: unix:///nowhere/other, when_away: fail}\n";

/* ---- properties ---- */

static unsigned long sequences;

static void try_all(const struct kind *kind, bool trouble)
{
    while (fake_choose_next_sequence()) {
        begin_node(one_runtime);
        fake_trouble(trouble);
        assert_true(arrive(kind));
        while (fake_step(CALLERS_MAY_LEAVE)) {
        }
        end_node();
        assert_int_equal(node.ended, 1);
        sequences++;
    }
}

TEST(an_unknown_method_ends_once_in_every_order)
{
    try_all(&kinds[0], false);
    assert_true(sequences > 100);
    try_all(&kinds[0], true);
    print_message("%lu sequences\n", sequences);
}

/* A stream that crigate cuts short at its first message, while its status may be there already. */
static void on_cut(void *state, grpc_byte_buffer *message)
{
    assert_non_null(message);
    upstream_stream_cancel(state);
}

static unsigned long cut;

static void on_cut_end(void *state)
{
    struct upstream_stream *stream = state;
    cut += stream->messages > 0;
    assert_true(stream->messages == 0 || stream->exchange.status != GRPC_STATUS_OK);
    upstream_stream_release(stream);
}

TEST(what_was_cut_short_is_not_whole_in_any_order)
{
    static const struct upstream_stream_callbacks callbacks = {.message = on_cut, .ended = on_cut_end};
    while (fake_choose_next_sequence()) {
        struct upstream_stream stream = {0};
        begin_node(one_runtime);
        const struct upstream_stream_request request = {
            .runtime = generation_primary(node.generation), .path = "/a/b", .request = grpc_empty_slice()};
        assert_true(upstream_stream_start(&stream, &request, &callbacks, &stream));
        upstream_stream_next(&stream);
        while (fake_step(CALLERS_WAIT)) {
        }
        end_node();
    }
    assert_true(cut > 0);
}

TEST(what_a_runtime_lacks_is_news_once_on_a_connection)
{
    const struct method *events = method_by_name("GetContainerEvents");
    fake_choose_at_random(1);
    begin_node(one_runtime);
    struct runtime *runtime = generation_primary(node.generation);
    runtime->dialect = DIALECT_MODEL;
    assert_true(runtime_serves(runtime, events));
    assert_true(runtime_lacks(runtime, events));
    assert_false(runtime_serves(runtime, events));
    assert_false(runtime_lacks(runtime, events));
    runtime->connections++;
    assert_true(runtime_lacks(runtime, events));
    end_node();
}

/* However many have waited for the primary: the loop turns between any two of them. */
TEST(calls_that_waited_go_on_one_in_a_turn)
{
    enum { WAITING = 100 };
    fake_choose_calm();
    begin_node(one_runtime);
    node.server.primary_may_come = true;
    generation_primary(node.generation)->state = RUNTIME_AWAY;
    for (unsigned i = 0; i < WAITING; i++) {
        assert_true(arrive(&kinds[2]));
        while (fake_step(CALLERS_WAIT)) {
        }
    }
    be_ready();
    for (unsigned turns = 0; turns < WAITING; turns++) {
        assert_int_equal(fake_working(), turns);
        assert_true(fire());
    }
    assert_int_equal(fake_working(), WAITING);
    end_node();
}

static void try_at_random(uint64_t seed)
{
    fake_choose_at_random(seed);
    begin_node(fake_choose(2) ? one_runtime : several_runtimes);
    node.seed = seed;
    if (fake_choose(2)) {
        set_plugins(fake_choose(2));
    }
    fake_trouble(fake_choose(2));
    if (fake_choose(4) == 0) {
        node.server.primary_may_come = true;
        generation_primary(node.generation)->state = RUNTIME_AWAY;
    }
    if (fake_choose(3) == 0) {
        fake_fail_allocation(1 + fake_choose(400));
    }
    unsigned left = 1 + fake_choose(12), arrived = 0;
    for (unsigned steps = 0; steps < 300; steps++) {
        if (left > 0 && fake_choose(3) == 0) {
            left--;
            arrived += arrive(&kinds[fake_choose(sizeof kinds / sizeof kinds[0])]);
        } else if (node.server.primary_may_come && fake_choose(30) == 0) {
            be_ready();
        } else if (fake_choose(12) == 0 || !fake_step(CALLERS_MAY_LEAVE)) {
            fire();
        }
    }
    fake_fail_allocation(0);
    end_node();
    assert_true(node.ended <= arrived);
}

/* But for what is not for this caller alone: the subscriptions of events, and what crigate asks a runtime whose state changes. */
TEST(nobody_works_for_a_caller_that_has_left)
{
    for (uint64_t seed = 1; seed < 6000; seed++) {
        fake_choose_at_random(seed);
        begin_node(fake_choose(2) ? one_runtime : several_runtimes);
        if (fake_choose(3) == 0) {
            set_plugins(fake_choose(2));
        }
        const struct kind *kind = &kinds[fake_choose(sizeof kinds / sizeof kinds[0] - 1)]; /* not of events, the last */
        assert_true(arrive(kind));
        for (unsigned steps = fake_choose(12); steps > 0; steps--) {
            fake_step(CALLERS_WAIT);
        }
        unsigned before = fake_working();
        fake_leave();
        if (!node.changed && fake_working() > 0) {
            fail_msg("seed %u: %s: %u of %u", (unsigned)seed, kind->method, fake_working(), before);
        }
        end_node();
    }
}

/* ---- memory ---- */

static void call_to_its_end(const struct kind *kind)
{
    assert_true(arrive(kind));
    drain();
}

/* Whether the answer of all but one is an answer, as it is when one is away. */
static bool may_lack_a_runtime(const struct kind *kind, const char *map)
{
    enum dialect caller;
    const struct method *method = method_find(bytes_of_string(kind->method), &caller);
    return map == several_runtimes && method && method->away == AWAY_OMIT;
}

/* The n-th allocation of a call fails: the caller gets what it gets in any case, or is told that there was no memory, and the
   next caller gets what it gets in any case. false: there was no such allocation. */
static bool try_without_memory(const struct kind *kind, const char *map, bool plugins, unsigned long number)
{
    fake_choose_calm();
    begin_node(map);
    if (plugins) {
        set_plugins(false);
    }
    call_to_its_end(kind);
    const struct fake_reply usual = *fake_last_reply();
    fake_fail_allocation(number);
    call_to_its_end(kind);
    bool failed = fake_allocation_failed();
    fake_fail_allocation(0);
    const struct fake_reply *now = fake_last_reply();
    bool same =
        now->status == usual.status && (now->messages == usual.messages || (now->status == 0 && may_lack_a_runtime(kind, map)));
    if (!same && now->status != GRPC_STATUS_RESOURCE_EXHAUSTED) {
        fail_msg("%s, allocation %lu of %s%s: %d %s, in place of %d %s", kind->method, number,
                 map == one_runtime ? "one runtime" : "several", plugins ? " with plugins" : "", now->status, now->details,
                 usual.status, usual.details);
    }
    call_to_its_end(kind);
    assert_int_equal(now->status, usual.status);
    assert_true(now->messages == usual.messages);
    end_node();
    return failed;
}

TEST(each_allocation_fails_once)
{
    unsigned long tried = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        for (unsigned variant = 0; variant < 4 * DIALECT_COUNT; variant++) {
            const char *map = variant & 1 ? several_runtimes : one_runtime;
            spoken = (enum dialect)(variant / 4);
            for (unsigned long n = 1; try_without_memory(&kinds[i], map, variant & 2, n); n++) {
                tried++;
            }
        }
    }
    spoken = DIALECT_MODEL;
    assert_true(tried > 2000);
    print_message("%lu allocations\n", tried);
}

TEST(calls_of_all_kinds_end_once_whatever_happens)
{
    const char *given = getenv("CRIGATE_SEED");
    uint64_t first = given ? strtoull(given, NULL, 10) : 1;
    for (uint64_t seed = first; seed < first + (given ? 1 : 10000); seed++) {
        try_at_random(seed);
    }
}

int main(void)
{
    grpc_init();
    log_set_level(LOG_SERIOUS);
    log_send_to(on_line);
    int failed = tests_run();
    grpc_shutdown();
    return failed;
}
