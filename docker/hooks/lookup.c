#include "docker/hooks/lookup.h"

#include <stdio.h>
#include <stdlib.h>

#include "docker/hooks/known.h"
#include "translate/docker/answers.h"

struct docker_lookup {
    struct docker_hooks *hooks;
    struct arena *arena;
    docker_lookup_done *done;
    void *state;
    struct docker_question *question;
    struct docker_found found;
};

char *docker_inspection_target(struct bytes container, struct arena *arena)
{
    static const char before[] = "/containers/", after[] = "/json", digits[] = "0123456789ABCDEF";
    char *target = arena_alloc(arena, sizeof before + 3 * container.len + sizeof after);
    if (!target) {
        return NULL;
    }
    size_t len = (size_t)sprintf(target, "%s", before);
    for (size_t i = 0; i < container.len; i++) {
        uint8_t byte = container.data[i];
        if ((byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' ||
            byte == '-') {
            target[len++] = (char)byte;
        } else {
            target[len++] = '%';
            target[len++] = digits[byte >> 4];
            target[len++] = digits[byte & 15];
        }
    }
    memcpy(target + len, after, sizeof after);
    return target;
}

bool docker_inspection_take(const struct error *error, unsigned status, struct bytes body, struct arena *arena,
                            struct docker_container *container, struct error *failure)
{
    if (error->code != STATUS_OK) {
        *failure = *error;
        return false;
    }
    if (status == 200) {
        return docker_inspection_read(body, arena, container, failure);
    }
    struct bytes message = docker_message_read(body, arena);
    return error_set(failure, status == 404 ? STATUS_NOT_FOUND : STATUS_INTERNAL, "Docker answered %u: %.*s", status,
                     BYTES_SHOWN(message, 200));
}

/* ---- one lookup ---- */

static bool ask(struct docker_lookup *lookup, struct bytes container, docker_answered *done)
{
    char *target = docker_inspection_target(container, lookup->arena);
    lookup->question =
        target ? docker_client_ask(lookup->hooks->client, target, DOCKER_INSPECTION_SIZE, DOCKER_INSPECTION_MS, done, lookup)
               : NULL;
    return lookup->question != NULL;
}

static void finish(struct docker_lookup *lookup)
{
    lookup->done(lookup->state, &lookup->found);
    free(lookup);
}

static void on_pod(void *state, const struct error *error, unsigned status, struct bytes body)
{
    struct docker_lookup *lookup = state;
    struct docker_found *found = &lookup->found;
    struct docker_container pod = {0};
    lookup->question = NULL;
    /* The body is Docker's, and gone when this returns. */
    struct bytes copy = arena_copy(lookup->arena, body);
    if (docker_inspection_take(error, status, copy, lookup->arena, &pod, &found->error)) {
        if (pod.of_pod) {
            docker_known_inspected(lookup->hooks, &pod, lookup->arena);
            found->pod = pod.facts;
            found->pod.pod_id = pod.id;
        } else {
            error_set(&found->error, STATUS_NOT_FOUND, "its pod is not a pod");
        }
    }
    finish(lookup);
}

static void on_container(void *state, const struct error *error, unsigned status, struct bytes body)
{
    struct docker_lookup *lookup = state;
    struct docker_found *found = &lookup->found;
    struct docker_known known;
    lookup->question = NULL;
    struct bytes copy = arena_copy(lookup->arena, body);
    if (!docker_inspection_take(error, status, copy, lookup->arena, &found->container, &found->error) ||
        !found->container.kubernetes) {
        finish(lookup);
        return;
    }
    docker_known_inspected(lookup->hooks, &found->container, lookup->arena);
    if (found->container.of_pod) {
        finish(lookup);
    } else if (docker_known_pod(lookup->hooks, found->container.sandbox_id, lookup->arena, &known)) {
        found->pod = known.facts;
        finish(lookup);
    } else if (!ask(lookup, found->container.sandbox_id, on_pod)) {
        error_no_memory(&found->error);
        finish(lookup);
    }
}

struct docker_lookup *docker_lookup_start(struct docker_hooks *hooks, struct bytes container, struct arena *arena,
                                          docker_lookup_done *done, void *state)
{
    struct docker_lookup *lookup = calloc(1, sizeof *lookup);
    if (!lookup) {
        return NULL;
    }
    *lookup = (struct docker_lookup){.hooks = hooks, .arena = arena, .done = done, .state = state};
    if (!ask(lookup, container, on_container)) {
        free(lookup);
        return NULL;
    }
    return lookup;
}

void docker_lookup_cancel(struct docker_lookup *lookup)
{
    docker_question_cancel(lookup->question);
    free(lookup);
}
