/* A plugin that answers with what it was sent, by way of Koordinator's protocol. */
#pragma once

#include "message_fixture.h"
#include "translate/hooks/facts.h"

/* Its answer about a pod, or about a container if the facts have one. */
struct hook_facts hook_echo(struct exchange *exchange, const struct hook_facts *facts);
