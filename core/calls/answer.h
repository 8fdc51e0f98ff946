/* Merges the answers of several runtimes into the caller's answer. */
#pragma once

#include "core/calls/call.h"

/* Replies to a call when all its upstream calls have ended. */
void answer_call(struct call *call);
