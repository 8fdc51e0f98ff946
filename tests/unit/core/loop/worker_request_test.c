/* What other threads ask of a worker is done on the worker's thread, or refused once the worker has been closed. */
#include <pthread.h>
#include <stdlib.h>

#include "core/loop/worker_request.h"
#include "tests/cmocka.h"

static struct worker worker;
static unsigned answers, frees;

static void on_closing(struct completion *completion, bool ok)
{
    (void)completion;
    (void)ok;
    worker_close(&worker);
}

static struct completion closing = {.run = on_closing};

static int begin(void **state)
{
    (void)state;
    answers = frees = 0;
    worker_init(&worker);
    return 0;
}

EACH_TEST(begin, NULL)

static void count_answer(struct worker_request *request)
{
    (void)request;
    answers++;
}

static void free_request(struct worker_request *request)
{
    frees++;
    free(request);
}

static enum status_code ask(unsigned milliseconds)
{
    struct error error = {0};
    struct worker_request *request = malloc(sizeof *request);
    assert_non_null(request);
    worker_request_init(request, count_answer, free_request);
    bool good = worker_request_send(request, &worker, milliseconds, &error);
    assert_int_equal(good, error.code == STATUS_OK);
    worker_request_drop(request);
    return error.code;
}

static void *ask_and_close(void *code)
{
    *(enum status_code *)code = ask(60000);
    worker_post(&worker, &closing);
    return NULL;
}

static void *ask_patiently(void *code)
{
    *(enum status_code *)code = ask(60000);
    return NULL;
}

/* The code that another thread gets while this one is the worker. */
static enum status_code ask_from_another_thread(void *(*run)(void *code))
{
    enum status_code code;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, run, &code), 0);
    assert_true(worker_run(&worker));
    pthread_join(thread, NULL);
    return code;
}

TEST(a_request_is_run_by_the_worker)
{
    assert_int_equal(ask_from_another_thread(ask_and_close), STATUS_OK);
    assert_int_equal(answers, 1);
    assert_int_equal(frees, 1);
}

TEST(a_request_whose_sender_has_given_up_is_still_run)
{
    assert_int_equal(ask(0), STATUS_DEADLINE_EXCEEDED);
    worker_post(&worker, &closing);
    worker_run(&worker);
    assert_int_equal(answers, 1);
    assert_int_equal(frees, 1);
}

TEST(a_request_behind_the_end_is_not_run)
{
    worker_post(&worker, &closing);
    assert_int_equal(ask(0), STATUS_DEADLINE_EXCEEDED);
    worker_run(&worker);
    assert_int_equal(answers, 0);
    assert_int_equal(frees, 1);
}

TEST(who_asks_a_worker_that_ends_or_has_ended_is_refused)
{
    worker_post(&worker, &closing);
    assert_int_equal(ask_from_another_thread(ask_patiently), STATUS_UNAVAILABLE);
    assert_int_equal(ask(60000), STATUS_UNAVAILABLE);
    assert_int_equal(answers, 0);
    assert_int_equal(frees, 2);
}

int main(void)
{
    grpc_init();
    int failures = tests_run();
    grpc_shutdown();
    return failures;
}
