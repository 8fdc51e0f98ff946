#include "core/docker_hooks/client.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/queue.h>
#include <unistd.h>

#include "core/base/buffer.h"
#include "core/base/clock.h"
#include "core/base/descriptor.h"
#include "core/docker_hooks/talk.h"

struct docker_question {
    TAILQ_ENTRY(docker_question) link;
    struct completion answered;
    struct docker_client *client;
    char *target;
    docker_answered *done; /* NULL after a cancellation; only the worker's thread looks at it */
    void *state;
    bool waiting; /* of the client's lock */
    struct docker_talk talk;
};

TAILQ_HEAD(question_queue, docker_question);

struct docker_client {
    char *socket;
    struct worker *worker;
    pthread_t thread;
    int wake; /* an eventfd: the question that is asked now is to be given up */
    pthread_mutex_t lock;
    pthread_cond_t added;
    struct question_queue waiting;   /* of the lock, like what follows */
    struct docker_question *current; /* that is asked now */
    bool stopping;
};

static void release(struct docker_question *question)
{
    buffer_clear(&question->talk.received);
    free(question->target);
    free(question);
}

static void on_answered(struct completion *completion, bool ok)
{
    (void)ok;
    struct docker_question *question = completion_owner(completion, struct docker_question, answered);
    if (question->done) {
        const struct docker_talk *talk = &question->talk;
        question->done(question->state, &talk->error, talk->status, talk->body);
    }
    release(question);
}

/* ---- the thread ---- */

/* The next question; NULL: the client stops. */
static struct docker_question *next(struct docker_client *client)
{
    pthread_mutex_lock(&client->lock);
    while (TAILQ_EMPTY(&client->waiting) && !client->stopping) {
        pthread_cond_wait(&client->added, &client->lock);
    }
    struct docker_question *question = client->stopping ? NULL : TAILQ_FIRST(&client->waiting);
    if (question) {
        TAILQ_REMOVE(&client->waiting, question, link);
        question->waiting = false;
        client->current = question;
        eventfd_t ignored;
        eventfd_read(client->wake, &ignored); /* was meant for the one before */
    }
    pthread_mutex_unlock(&client->lock);
    return question;
}

static void *run(void *state)
{
    struct docker_client *client = state;
    struct docker_question *question;
    while ((question = next(client))) {
        docker_talk_run(&question->talk, client->socket, question->target, client->wake);
        pthread_mutex_lock(&client->lock);
        client->current = NULL;
        pthread_mutex_unlock(&client->lock);
        if (!worker_post(client->worker, &question->answered)) {
            release(question);
        }
    }
    return NULL;
}

/* ---- from outside ---- */

static void free_client(struct docker_client *client)
{
    descriptor_close(&client->wake);
    free(client->socket);
    free(client);
}

struct docker_client *docker_client_start(const char *socket, struct worker *worker)
{
    struct docker_client *client = calloc(1, sizeof *client);
    if (!client) {
        return NULL;
    }
    *client = (struct docker_client){.socket = strdup(socket),
                                     .worker = worker,
                                     .wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
                                     .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_cond_init(&client->added, NULL);
    TAILQ_INIT(&client->waiting);
    if (!client->socket || client->wake < 0 || pthread_create(&client->thread, NULL, run, client) != 0) {
        free_client(client);
        return NULL;
    }
    return client;
}

void docker_client_stop(struct docker_client *client)
{
    if (!client) {
        return;
    }
    pthread_mutex_lock(&client->lock);
    client->stopping = true;
    eventfd_write(client->wake, 1);
    pthread_cond_signal(&client->added);
    pthread_mutex_unlock(&client->lock);
    pthread_join(client->thread, NULL);
    free_client(client);
}

struct docker_question *docker_client_ask(struct docker_client *client, const char *target, size_t most, int64_t milliseconds,
                                          docker_answered *done, void *state)
{
    struct docker_question *question = calloc(1, sizeof *question);
    char *copy = strdup(target);
    if (!question || !copy) {
        free(question);
        free(copy);
        return NULL;
    }
    *question = (struct docker_question){
        .answered.run = on_answered,
        .client = client,
        .target = copy,
        .done = done,
        .state = state,
        .waiting = true,
        .talk = {.until = clock_ns() + milliseconds * NANOSECONDS_A_MILLISECOND, .most = most},
    };
    pthread_mutex_lock(&client->lock);
    TAILQ_INSERT_TAIL(&client->waiting, question, link);
    pthread_cond_signal(&client->added);
    pthread_mutex_unlock(&client->lock);
    return question;
}

void docker_question_cancel(struct docker_question *question)
{
    struct docker_client *client = question->client;
    pthread_mutex_lock(&client->lock);
    bool waiting = question->waiting;
    if (waiting) {
        TAILQ_REMOVE(&client->waiting, question, link);
    } else if (client->current == question) {
        eventfd_write(client->wake, 1);
    }
    pthread_mutex_unlock(&client->lock);
    question->done = NULL;
    if (waiting) {
        release(question);
    }
}
