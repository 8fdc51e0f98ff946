/* One request that hooks are called for, on its way between the thread of the connections and that of the hooks. */
#pragma once

#include "base/system/buffer.h"
#include "docker/hooks/hooks.h"
#include "docker/hooks/thread.h"
#include "translate/docker/route.h"

/* A body of a hooked request is held whole; a longer one cannot be shown to plugins. */
#define HOOKED_BODY_LARGEST ((size_t)4 << 20)

struct hooked;

/* Reads the request's route. `hooked` gets NULL for one that no hook is called for, and else what is freed by hooked_end.
   INVALID_ARGUMENT: Docker and we might read it differently; RESOURCE_EXHAUSTED. */
bool hooked_begin(struct hook_thread *thread, struct bytes method, struct bytes target, struct hooked **hooked,
                  struct error *error);

/* The request's body as far as it has arrived; its reader appends to it. */
struct buffer *hooked_body(struct hooked *hooked);

/* Whether the answer's body is wanted by hooked_answered. */
bool hooked_wants_answer(const struct hooked *hooked);

/* Has plugins called; the body does not change any more. `too_long`: it is not whole, and never will be. `done` runs once with
   the verdict, which lives as long as the request, unless hooked_end comes first. */
void hooked_start(struct hooked *hooked, bool too_long, void (*done)(void *state, const struct docker_verdict *verdict),
                  void *state);

/* Docker has answered. Copies the body. Once, after hooked_start's `done`. */
void hooked_answered(struct hooked *hooked, unsigned status, struct bytes body);

/* Nobody waits for it any more. NULL is allowed. */
void hooked_end(struct hooked *hooked);
