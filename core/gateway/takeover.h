/* What a gateway does while one process takes over from another. Each function runs on the worker's thread. */
#pragma once

#include "core/gateway/gateway.h"

/* Another process is about to take over: writes down what it needs, and leaves the files of what plugins must know to it. */
void gateway_lend(struct gateway *gateway);

/* The takeover failed: the files are this process's own again. What was written down for the other process is forgotten, as it
   has environments, which no limit counts there. */
void gateway_take_back(struct gateway *gateway);

/* After the handover: the files of what plugins must know are the other process's. It gets what this one learns as calls that are
   under way end. */
void gateway_hand_over_hooks(struct gateway *gateway);

/* After the handover: the other process has ended. What this one learns goes to the files again, for the next one, which may have
   them already. */
void gateway_successor_lost(struct gateway *gateway);

/* After the handover: the other process has taken all that this one had learned when it made its last pod. */
void gateway_successor_has_all(struct gateway *gateway);

/* This process is about to serve the socket, as the process before still does: takes what that one knows for plugins. */
void gateway_take_memory(struct gateway *gateway);

/* This process serves the socket now: what the process before knew is its own. */
void gateway_take_part(struct gateway *gateway);

/* The process before makes nothing more on the runtimes. */
void gateway_predecessor_drained(struct gateway *gateway);
