/* A client that behaves like a kubelet: it lists everything again and again, asks for statuses, and makes and removes pods and
   containers, without ever giving up for a failure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tests/faults/node.h"

struct kubelet;

/* Starts its threads. A patient one gives up no call before the gateway does. */
struct kubelet *kubelet_start(const struct node *node, uint64_t seed, bool patient);

/* Asks for all lists once; true when all were answered. Not from its own threads. */
bool kubelet_lists_work(void);

/* Stops the threads and waits for them. */
void kubelet_stop(struct kubelet *kubelet);
