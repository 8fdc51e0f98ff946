/* Questions to Docker Engine, and what is known of its containers for hooks. A thread answers in Docker's place. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "docker/hooks/client.h"
#include "docker/hooks/hooks.h"
#include "docker/hooks/known.h"
#include "docker/hooks/rebuild.h"
#include "tests/cmocka.h"
#include "tests/unit/socket_fixture.h"

#define LONG_MS 20000

/* ---- in Docker's place ---- */

/* What it answers to which target; the last one has NULL. An answer NULL: nothing, until the caller is gone. */
struct answer {
    const char *target;
    const char *text;
};

struct docker {
    char folder[64];
    char path[80];
    int listener;
    int unanswered[DOCKER_CLIENT_ASKERS + 1]; /* callers that wait for an answer */
    size_t unanswered_count;
    pthread_t thread;
    const struct answer *answers;
};

static const char *answer_to(const struct docker *docker, const char *request)
{
    const char *text = "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}";
    for (const struct answer *answer = docker->answers; answer->target; answer++) {
        size_t len = strlen(answer->target);
        if (strncmp(request, "GET ", 4) == 0 && strncmp(request + 4, answer->target, len) == 0) {
            text = answer->text;
            break;
        }
    }
    return text;
}

/* false: the caller waits for an answer. */
static bool serve_one(struct docker *docker, int caller)
{
    char request[4096] = "";
    size_t len = 0;
    while (!strstr(request, "\r\n\r\n")) {
        ssize_t size = read(caller, request + len, sizeof request - 1 - len);
        if (size <= 0) {
            return true;
        }
        len += (size_t)size;
    }
    const char *text = answer_to(docker, request);
    if (text) {
        send(caller, text, strlen(text), MSG_NOSIGNAL); /* unless the caller is gone */
    }
    return text != NULL;
}

static void *serve(void *state)
{
    struct docker *docker = state;
    int caller;
    while ((caller = accept(docker->listener, NULL, NULL)) >= 0) {
        if (serve_one(docker, caller)) {
            close(caller);
        } else {
            docker->unanswered[docker->unanswered_count++] = caller;
        }
    }
    return NULL;
}

static void start_docker(struct docker *docker, const struct answer *answers)
{
    *docker = (struct docker){.folder = "/tmp/docker_client_test.XXXXXX", .answers = answers};
    assert_non_null(mkdtemp(docker->folder));
    snprintf(docker->path, sizeof docker->path, "%s/docker.sock", docker->folder);
    docker->listener = listen_at(docker->path);
    assert_int_equal(pthread_create(&docker->thread, NULL, serve, docker), 0);
}

static void stop_docker(struct docker *docker)
{
    shutdown(docker->listener, SHUT_RDWR);
    pthread_join(docker->thread, NULL);
    for (size_t i = 0; i < docker->unanswered_count; i++) {
        close(docker->unanswered[i]);
    }
    close(docker->listener);
    unlink(docker->path);
    rmdir(docker->folder);
}

/* ---- questions ---- */

struct asking {
    struct worker worker;
    struct docker docker;
    struct docker_client *client;
    struct error error;
    unsigned status;
    char body[256];
    bool answered;
};

static void on_answered(void *state, const struct error *error, unsigned status, struct bytes body)
{
    struct asking *asking = state;
    asking->error = *error;
    asking->status = status;
    asking->answered = true;
    snprintf(asking->body, sizeof asking->body, "%.*s", BYTES_SHOWN(body, 255));
    docker_client_stop(asking->client);
    worker_close(&asking->worker);
}

/* Asks once; the answer is in `asking` then. */
static void ask(struct asking *asking, const char *answer, size_t most, int64_t milliseconds)
{
    const struct answer answers[] = {{"/asked HTTP/1.1\r\n", answer}, {NULL, NULL}};
    *asking = (struct asking){0};
    start_docker(&asking->docker, answers);
    worker_init(&asking->worker);
    asking->client = docker_client_start(asking->docker.path, &asking->worker);
    assert_non_null(asking->client);
    assert_non_null(docker_client_ask(asking->client, "/asked", most, milliseconds, on_answered, asking));
    assert_true(worker_run(&asking->worker));
    assert_true(asking->answered);
    stop_docker(&asking->docker);
}

TEST(answers)
{
    struct asking asking;
    ask(&asking, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 5, LONG_MS);
    assert_int_equal(asking.error.code, STATUS_OK);
    assert_int_equal(asking.status, 200);
    assert_string_equal(asking.body, "hello");
    ask(&asking, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x\r\nlo\r\n0\r\n\r\n", 5, LONG_MS);
    assert_string_equal(asking.body, "hello");
    ask(&asking, "HTTP/1.1 500 No\r\nConnection: close\r\n\r\nall of it", 100, LONG_MS);
    assert_int_equal(asking.error.code, STATUS_OK);
    assert_int_equal(asking.status, 500);
    assert_string_equal(asking.body, "all of it");
    ask(&asking, "HTTP/1.1 204 None\r\n\r\n", 0, LONG_MS);
    assert_int_equal(asking.status, 204);
    assert_string_equal(asking.body, "");
}

TEST(answers_that_are_not_taken)
{
    static const struct {
        const char *answer;
        enum status_code code;
    } cases[] = {
        {"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello!", STATUS_RESOURCE_EXHAUSTED},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nhello!\r\n0\r\n\r\n", STATUS_RESOURCE_EXHAUSTED},
        {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhal", STATUS_UNAVAILABLE},
        {"HTTP/1.1 200 OK\r\nContent-Len", STATUS_UNAVAILABLE},
        {"", STATUS_UNAVAILABLE},
        {"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", STATUS_INTERNAL},
        {"HTTP/1.1 101 Up\r\n\r\n", STATUS_INTERNAL},
        {"SSH-2.0\r\n\r\n", STATUS_INTERNAL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct asking asking;
        ask(&asking, cases[i].answer, 5, LONG_MS);
        if (asking.error.code != cases[i].code) {
            fail_msg("%s: %s, %s", cases[i].answer, status_code_name(asking.error.code), asking.error.message);
        }
    }
}

TEST(docker_that_hangs)
{
    struct asking asking;
    ask(&asking, NULL, 5, 50);
    assert_int_equal(asking.error.code, STATUS_DEADLINE_EXCEEDED);
}

TEST(docker_that_is_away)
{
    struct asking asking = {0};
    worker_init(&asking.worker);
    asking.client = docker_client_start("/nonexistent/docker.sock", &asking.worker);
    assert_non_null(docker_client_ask(asking.client, "/asked", 5, LONG_MS, on_answered, &asking));
    assert_true(worker_run(&asking.worker));
    assert_int_equal(asking.error.code, STATUS_UNAVAILABLE);
}

static void must_not_answer(void *state, const struct error *error, unsigned status, struct bytes body)
{
    (void)error;
    (void)status;
    (void)body;
    fail();
}

/* One that Docker does not answer, and one that waits behind it, are cancelled; the next is asked. */
TEST(cancelled_questions)
{
    static const struct answer answers[] = {
        {"/hangs", NULL}, {"/asked", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"}, {NULL, NULL}};
    struct asking asking = {0};
    start_docker(&asking.docker, answers);
    worker_init(&asking.worker);
    asking.client = docker_client_start(asking.docker.path, &asking.worker);
    struct docker_question *hangs = docker_client_ask(asking.client, "/hangs", 5, LONG_MS, must_not_answer, NULL);
    struct docker_question *waits = docker_client_ask(asking.client, "/waits", 5, LONG_MS, must_not_answer, NULL);
    assert_non_null(docker_client_ask(asking.client, "/asked", 5, LONG_MS, on_answered, &asking));
    docker_question_cancel(waits);
    docker_question_cancel(hangs);
    assert_true(worker_run(&asking.worker));
    assert_int_equal(asking.status, 200);
    stop_docker(&asking.docker);
}

static struct docker_question *unanswered;

static void on_asked(void *state, const struct error *error, unsigned status, struct bytes body)
{
    docker_question_cancel(unanswered);
    on_answered(state, error, status, body);
}

static const struct answer one_hangs[] = {
    {"/hangs", NULL}, {"/asked", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"}, {NULL, NULL}};

TEST(a_question_without_an_answer_keeps_no_other_waiting)
{
    struct asking asking = {0};
    start_docker(&asking.docker, one_hangs);
    worker_init(&asking.worker);
    asking.client = docker_client_start(asking.docker.path, &asking.worker);
    unanswered = docker_client_ask(asking.client, "/hangs", 5, LONG_MS, must_not_answer, NULL);
    assert_non_null(docker_client_ask(asking.client, "/asked", 5, LONG_MS, on_asked, &asking));
    assert_true(worker_run(&asking.worker));
    assert_int_equal(asking.status, 200);
    stop_docker(&asking.docker);
}

static void on_too_late(void *state, const struct error *error, unsigned status, struct bytes body)
{
    (void)status;
    (void)body;
    /* Given up with the client, where this thread was slower than another. */
    assert_true(error->code == STATUS_DEADLINE_EXCEEDED || error->code == STATUS_CANCELLED);
}

/* The time that it waits for one of the threads is not Docker's. */
TEST(the_time_of_a_question_begins_when_it_is_sent)
{
    struct asking asking = {0};
    start_docker(&asking.docker, one_hangs);
    worker_init(&asking.worker);
    asking.client = docker_client_start(asking.docker.path, &asking.worker);
    for (size_t i = 0; i < DOCKER_CLIENT_ASKERS; i++) {
        assert_non_null(docker_client_ask(asking.client, "/hangs", 5, 600, on_too_late, NULL));
    }
    assert_non_null(docker_client_ask(asking.client, "/asked", 5, 500, on_answered, &asking));
    assert_true(worker_run(&asking.worker));
    assert_int_equal(asking.error.code, STATUS_OK);
    assert_int_equal(asking.status, 200);
    stop_docker(&asking.docker);
}

/* ---- all containers ---- */

#define ID_OF(letter) letter letter letter letter letter letter letter letter
#define FIRST_ID ID_OF("00000000")
#define POD_ID ID_OF("00000001")
#define CONTAINER_ID ID_OF("00000002")
#define OTHER_ID ID_OF("00000003")
#define HEAD "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"
#define INSPECTION(id, name, labels)                                                                                             \
    HEAD "{\"Id\":\"" id "\",\"Name\":\"/" name "\",\"State\":{\"Running\":true},\"Config\":{\"Labels\":{" labels                \
         "},\"Env\":[\"A=1\"]},\"HostConfig\":{\"CgroupParent\":\"/p\"}}"
#define POD INSPECTION(POD_ID, "k8s_POD_web_shop_uid_0", "\"io.kubernetes.docker.type\":\"podsandbox\"")
#define CONTAINER INSPECTION(CONTAINER_ID, "k8s_main_web_shop_uid_0", "\"io.kubernetes.sandbox.id\":\"" POD_ID "\"")

struct looking {
    struct worker worker;
    struct docker docker;
    struct docker_hooks *hooks;
    struct timer timer;
    bool (*until)(const struct docker_hooks *hooks);
};

static void look_again(struct completion *completion, bool ok)
{
    (void)ok;
    struct looking *looking = completion_owner(completion, struct looking, timer.completion);
    if (!looking->until(looking->hooks)) {
        worker_arm(&looking->worker, &looking->timer, 2);
        return;
    }
    docker_hooks_free(looking->hooks);
    worker_close(&looking->worker);
}

static bool knows_both(const struct docker_hooks *hooks)
{
    return fact_store_count(hooks->store, ID_POD) == 1 && fact_store_count(hooks->store, ID_CONTAINER) == 1;
}

static bool knows_nothing(const struct docker_hooks *hooks)
{
    return fact_store_count(hooks->store, ID_POD) == 0 && fact_store_count(hooks->store, ID_CONTAINER) == 0;
}

static void idle(void *state)
{
}

static void start_looking(struct looking *looking, const struct answer *answers)
{
    *looking = (struct looking){.timer.completion.run = look_again};
    start_docker(&looking->docker, answers);
    worker_init(&looking->worker);
    looking->hooks = docker_hooks_new(&(struct docker_hooks_settings){
        .worker = &looking->worker, .docker = looking->docker.path, .skip_label = "skip", .skip_value = "true", .idle = idle});
    assert_non_null(looking->hooks);
}

static void look_until(struct looking *looking, bool (*until)(const struct docker_hooks *hooks))
{
    looking->until = until;
    worker_arm(&looking->worker, &looking->timer, 0);
    assert_true(worker_run(&looking->worker));
    stop_docker(&looking->docker);
}

static const struct answer all[] = {
    {"/containers/json?all=1&filters=", HEAD "[{\"Id\":\"" OTHER_ID "\"},{\"Id\":\"" CONTAINER_ID "\"},{\"Id\":\"" POD_ID "\"}]"},
    {"/containers/" POD_ID "/json ", POD},
    {"/containers/" CONTAINER_ID "/json ", CONTAINER},
    {"/containers/" OTHER_ID "/json ", "HTTP/1.1 500 Broken\r\nContent-Length: 0\r\n\r\n"},
    {NULL, NULL},
};
static const struct answer none[] = {{"/containers/json?all=1&filters=", HEAD "[]"}, {NULL, NULL}};

TEST(all_containers_are_asked_for)
{
    struct looking looking;
    start_looking(&looking, all);
    docker_rebuild_start(looking.hooks->rebuild);
    look_until(&looking, knows_both);
}

/* Docker ends the connection, as it does if it breaks over a container; the ids come in order. */
TEST(one_without_an_answer_is_passed_over)
{
    static const struct answer first_breaks[] = {
        {"/containers/json?all=1&filters=",
         HEAD "[{\"Id\":\"" FIRST_ID "\"},{\"Id\":\"" CONTAINER_ID "\"},{\"Id\":\"" POD_ID "\"}]"},
        {"/containers/" FIRST_ID "/json ", ""},
        {"/containers/" POD_ID "/json ", POD},
        {"/containers/" CONTAINER_ID "/json ", CONTAINER},
        {NULL, NULL},
    };
    struct looking looking;
    start_looking(&looking, first_breaks);
    docker_rebuild_start(looking.hooks->rebuild);
    look_until(&looking, knows_both);
}

/* Learns of a pod and its container as from their inspections. */
static void learn_both(struct docker_hooks *hooks)
{
    struct arena *arena = arena_new((size_t)1 << 20);
    struct docker_container container = {.kubernetes = true, .of_pod = true, .running = true, .id = bytes_of_string(POD_ID)};
    docker_known_inspected(hooks, &container, arena);
    container = (struct docker_container){
        .kubernetes = true, .id = bytes_of_string(CONTAINER_ID), .sandbox_id = bytes_of_string(POD_ID), .running = true};
    docker_known_inspected(hooks, &container, arena);
    arena_unref(arena);
    assert_true(knows_both(hooks));
}

TEST(what_was_removed_without_us_is_forgotten)
{
    struct looking looking;
    start_looking(&looking, none);
    learn_both(looking.hooks);
    docker_rebuild_start(looking.hooks->rebuild);
    look_until(&looking, knows_nothing);
}

TEST(a_pod_that_goes_takes_its_containers_along)
{
    struct looking looking;
    start_looking(&looking, none);
    learn_both(looking.hooks);
    docker_known_remove(looking.hooks, bytes_of_string(POD_ID));
    look_until(&looking, knows_nothing);
}

TEST(whole_ids)
{
    assert_true(docker_known_is_id(bytes_of_string(POD_ID)));
    assert_false(docker_known_is_id(bytes_of_string("0000")));
    assert_false(docker_known_is_id(bytes_of_string(ID_OF("0000000g"))));
    assert_false(docker_known_is_id(bytes_of_string(ID_OF("0000000A"))));
}

int main(void)
{
    grpc_init();
    int failed = tests_run();
    grpc_shutdown();
    return failed;
}
