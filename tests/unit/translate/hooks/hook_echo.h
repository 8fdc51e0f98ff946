/* A plugin that answers with what it was sent, by way of Koordinator's protocol. */
#pragma once

#include "tests/unit/translate/message_fixture.h"
#include "translate/hooks/facts.h"

/* Its answer about a pod, or about a container if the facts have one. */
struct hook_facts hook_echo(struct exchange *exchange, const struct hook_facts *facts);

/* Whether a plugin is sent the same bytes of both, before RunPodSandbox or, if they have a container, CreateContainer. */
bool hook_sends_the_same(struct exchange *exchange, const struct hook_facts *one, const struct hook_facts *other);
