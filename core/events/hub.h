/* Who listens to the node's events, and what they hear: the events of all runtimes in the order in which they come, each with the
   ids that callers know. All listeners share one subscription to each runtime, because not every runtime tells everybody:
   containerd 1.7 and CRI-O give each event to only one of those who ask. Subscriptions are there only while somebody listens.

   Lives on the worker's thread. */
#pragma once

#include "core/runtimes/runtime.h"

struct call;
struct call_server;
struct event_hub;
struct generation;

/* A caller that does not take its events slows the runtimes, and so all other listeners, for at most this time; then its stream
   ends with RESOURCE_EXHAUSTED. */
#define EVENT_HUB_PATIENCE_MS 2000

/* NULL when there is no memory. The server must outlive it. */
struct event_hub *event_hub_new(struct call_server *server);

/* After event_hub_stop. NULL is allowed. */
void event_hub_free(struct event_hub *hub);

/* Answers a call of GetContainerEvents, which has its request: the stream stays open until the caller or the gateway leaves. */
void event_hub_listen(struct event_hub *hub, struct call *call);

/* A runtime became ready, or stopped being so. */
void event_hub_runtime_changed(struct event_hub *hub, struct runtime *runtime);

/* The gateway is about to have another generation: what became of the runtimes that it lacks is told while their ids can be. */
void event_hub_part(struct event_hub *hub, const struct generation *next);

/* The gateway has another generation: listeners go on under it. */
void event_hub_reload(struct event_hub *hub);

/* The gateway stops, and has told those who listen: ends all subscriptions. */
void event_hub_stop(struct event_hub *hub);
