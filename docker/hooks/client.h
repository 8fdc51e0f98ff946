/* Questions to Docker Engine. Threads of its own ask them over Docker's socket, as many at once as there are questions, up to
   DOCKER_CLIENT_ASKERS: one container that Docker cannot inspect keeps no other waiting. */
#pragma once

#include "base/bytes/bytes.h"
#include "base/bytes/error.h"
#include "core/loop/worker.h"

struct docker_client;
struct docker_question;

/* `error` is UNAVAILABLE if Docker cannot be asked, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED for an answer that is too long,
   INTERNAL for one that is not HTTP, and else STATUS_OK: then there is an answer with that HTTP status. Its body is valid during
   the call only. The question is gone afterwards. */
typedef void docker_answered(void *state, const struct error *error, unsigned status, struct bytes body);

#define DOCKER_CLIENT_ASKERS 16

/* Starts the first thread. NULL: out of memory, or no thread. */
struct docker_client *docker_client_start(const char *socket, struct worker *worker);

/* Ends the threads. All questions must have ended or be cancelled, and the worker must not be closed before. NULL is allowed. */
void docker_client_stop(struct docker_client *client);

/* Asks GET `target`, which is a path without spaces and control characters, and is copied. It may take this many milliseconds
   from its sending on, and its answer this many bytes. `done` runs later, once, on the worker's thread, unless the question is
   cancelled. NULL: out of memory. */
struct docker_question *docker_client_ask(struct docker_client *client, const char *target, size_t most, int64_t milliseconds,
                                          docker_answered *done, void *state);

/* `done` is not called any more. */
void docker_question_cancel(struct docker_question *question);
