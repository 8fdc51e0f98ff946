/* Requests to Docker's API in tests: JSON with ' in place of ", and plugins' answers to them. */
#pragma once

#include "tests/unit/translate/hooks/hook_fixture.h"
#include "translate/docker/request.h"

#define DOCKER_SANDBOX_NAME "k8s_POD_web_shop_123e4567-e89b_1"
#define DOCKER_CONTAINER_NAME "k8s_nginx_web_shop_123e4567-e89b_2"

/* The text with " in place of '. */
struct bytes docker_json(struct exchange *exchange, const char *text);

/* Reads a create request; the test fails if it is refused. */
struct docker_container docker_create(struct exchange *exchange, const char *name, const char *body);

/* It must be refused with INVALID_ARGUMENT, and a message that has this text. */
void docker_expect_create_refused(struct exchange *exchange, const char *body, const char *message);

/* What a plugin answers about pod and container, as JSON of the facts; NULL: nothing. */
struct docker_answer {
    const char *pod;
    const char *container;
};

/* Merges the answer, as the stage before a create does, and writes it. The body must become `expected`. */
void docker_expect_created(struct exchange *exchange, const char *name, const char *body, struct docker_answer answer,
                           const char *expected);

/* What the answer changes must be refused when it is written. */
void docker_expect_created_refused(struct exchange *exchange, const char *name, const char *body, struct docker_answer answer,
                                   const char *message);

/* An update of a container with these facts: the body must become `expected`. */
void docker_expect_updated(struct exchange *exchange, const char *facts, const char *body, const char *answer,
                           const char *expected);
