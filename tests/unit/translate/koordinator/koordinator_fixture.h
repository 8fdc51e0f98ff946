/* Facts and answers for tests of Koordinator's protocol. The exchange's arena owns all bytes. */
#pragma once

#include "tests/unit/translate/message_fixture.h"
#include "translate/koordinator/koordinator.h"

/* A PodSandboxConfig and a ContainerConfig in which each field is set that plugins see. */
extern const char fixture_pod[];
extern const char fixture_container[];

/* A message of the model's dialect. */
struct bytes model_bytes(struct exchange *exchange, const char *message, const char *json);

/* The request; the test fails if there is none. */
struct bytes request_bytes(struct exchange *exchange, struct hook_stage stage, const struct hook_facts *facts);

/* An entry of a map with that field number. */
struct bytes entry(struct exchange *exchange, uint32_t number, struct bytes key, struct bytes value);
struct bytes text_entry(struct exchange *exchange, uint32_t number, const char *key, const char *value);
