/* Facts and plugins' answers in tests, as JSON with ' in place of ". */
#pragma once

#include "tests/unit/translate/message_fixture.h"
#include "translate/hooks/facts.h"

/* The encoded configuration of that kind; of MODEL_RESOURCES, a LinuxContainerResources. */
struct bytes hook_config(struct exchange *exchange, enum model_kind kind, const char *json);

/* The bytes must be the configuration that the JSON is. */
void hook_expect_config(enum model_kind kind, struct bytes bytes, const char *json);

/* Bytes with the variables NAME=VALUE, in this order; NULL at the end. Values may be any bytes. */
struct bytes hook_variables(struct exchange *exchange, const char *const variables[]);

/* The container must have exactly these variables, in this order. */
void hook_expect_variables(struct bytes container, const char *const variables[]);

/* Merges an answer about a pod or container into its facts, which no plugin had changed. The result is in `merged`. */
bool hook_merge(struct exchange *exchange, enum model_kind kind, struct bytes facts, struct bytes answer, struct bytes *merged,
                struct hook_changes *changes);

/* The merge must have this result, and report these changes. */
void hook_expect_merged(struct exchange *exchange, enum model_kind kind, const char *facts, const char *answer,
                        const char *merged, const char *changes);

/* The merged facts must be those that were sent, the same bytes. */
void hook_expect_no_change(struct exchange *exchange, enum model_kind kind, const char *facts, const char *answer);

/* The answer must be refused with this message, and the facts stay what they were. */
void hook_expect_refused(struct exchange *exchange, enum model_kind kind, const char *facts, const char *answer,
                         const char *message);
