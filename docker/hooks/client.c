#include "docker/hooks/client.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/queue.h>
#include <unistd.h>

#include "base/system/buffer.h"
#include "base/system/clock.h"
#include "base/system/descriptor.h"
#include "docker/hooks/talk.h"

struct docker_question {
    TAILQ_ENTRY(docker_question) link;
    struct completion answered;
    struct docker_client *client;
    char *target;
    docker_answered *done; /* NULL after a cancellation; only the worker's thread looks at it */
    void *state;
    int64_t milliseconds; /* that it may take */
    bool waiting;         /* of the client's lock */
    struct docker_talk talk;
};

TAILQ_HEAD(question_queue, docker_question);

/* A thread, which asks one question after another. */
struct asker {
    struct docker_client *client;
    pthread_t thread;
    int wake;                        /* an eventfd: the question that is asked now is to be given up */
    struct docker_question *current; /* that is asked now; of the lock */
};

struct docker_client {
    char *socket;
    struct worker *worker;
    struct asker askers[DOCKER_CLIENT_ASKERS];
    size_t count; /* of askers; only the worker's thread adds some */
    pthread_mutex_t lock;
    pthread_cond_t added;
    struct question_queue waiting; /* of the lock, like what follows */
    size_t length;                 /* of that queue */
    size_t idle;                   /* askers that wait for a question */
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

/* ---- a thread ---- */

/* The next question; NULL: the client stops. */
static struct docker_question *next(struct asker *asker)
{
    struct docker_client *client = asker->client;
    pthread_mutex_lock(&client->lock);
    client->idle++;
    while (TAILQ_EMPTY(&client->waiting) && !client->stopping) {
        pthread_cond_wait(&client->added, &client->lock);
    }
    client->idle--;
    struct docker_question *question = client->stopping ? NULL : TAILQ_FIRST(&client->waiting);
    if (question) {
        TAILQ_REMOVE(&client->waiting, question, link);
        client->length--;
        question->waiting = false;
        asker->current = question;
        eventfd_t ignored;
        eventfd_read(asker->wake, &ignored); /* was meant for the one before */
    }
    pthread_mutex_unlock(&client->lock);
    return question;
}

/* Nobody may wake for it any more. */
static void let_go(struct asker *asker)
{
    pthread_mutex_lock(&asker->client->lock);
    asker->current = NULL;
    pthread_mutex_unlock(&asker->client->lock);
}

static void *run(void *state)
{
    struct asker *asker = state;
    struct docker_client *client = asker->client;
    struct docker_question *question;
    while ((question = next(asker))) {
        question->talk.until = clock_ns() + question->milliseconds * NANOSECONDS_A_MILLISECOND;
        docker_talk_run(&question->talk, client->socket, question->target, asker->wake);
        let_go(asker);
        if (!worker_post(client->worker, &question->answered)) {
            release(question);
        }
    }
    return NULL;
}

/* ---- from outside ---- */

static bool add_asker(struct docker_client *client)
{
    struct asker *asker = &client->askers[client->count];
    *asker = (struct asker){.client = client, .wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    if (asker->wake < 0 || pthread_create(&asker->thread, NULL, run, asker) != 0) {
        descriptor_close(&asker->wake);
        return false;
    }
    client->count++;
    return true;
}

struct docker_client *docker_client_start(const char *socket, struct worker *worker)
{
    struct docker_client *client = calloc(1, sizeof *client);
    if (!client) {
        return NULL;
    }
    *client = (struct docker_client){.socket = strdup(socket), .worker = worker, .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_cond_init(&client->added, NULL);
    TAILQ_INIT(&client->waiting);
    if (!client->socket || !add_asker(client)) {
        free(client->socket);
        free(client);
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
    for (size_t i = 0; i < client->count; i++) {
        eventfd_write(client->askers[i].wake, 1);
    }
    pthread_cond_broadcast(&client->added);
    pthread_mutex_unlock(&client->lock);
    for (size_t i = 0; i < client->count; i++) {
        pthread_join(client->askers[i].thread, NULL);
        descriptor_close(&client->askers[i].wake);
    }
    free(client->socket);
    free(client);
}

/* Those that are there continue if there can be no more. */
static void add_question(struct docker_client *client, struct docker_question *question)
{
    pthread_mutex_lock(&client->lock);
    TAILQ_INSERT_TAIL(&client->waiting, question, link);
    bool too_few = ++client->length > client->idle && client->count < DOCKER_CLIENT_ASKERS;
    pthread_cond_signal(&client->added);
    pthread_mutex_unlock(&client->lock);
    if (too_few) {
        add_asker(client);
    }
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
        .milliseconds = milliseconds,
        .waiting = true,
        .talk = {.most = most},
    };
    add_question(client, question);
    return question;
}

static void wake_asker_of(struct docker_client *client, const struct docker_question *question)
{
    for (size_t i = 0; i < client->count; i++) {
        if (client->askers[i].current == question) {
            eventfd_write(client->askers[i].wake, 1);
        }
    }
}

void docker_question_cancel(struct docker_question *question)
{
    struct docker_client *client = question->client;
    pthread_mutex_lock(&client->lock);
    bool waiting = question->waiting;
    if (waiting) {
        TAILQ_REMOVE(&client->waiting, question, link);
        client->length--;
    } else {
        wake_asker_of(client, question);
    }
    pthread_mutex_unlock(&client->lock);
    question->done = NULL;
    if (waiting) {
        release(question);
    }
}
