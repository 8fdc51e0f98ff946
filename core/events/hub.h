/* The listeners to the node's events, and what they get: the events of all runtimes in the order of arrival, with the ids that
   callers know. All listeners share one subscription to each runtime, because containerd 1.7 and CRI-O send each event to only
   one subscriber. Subscriptions exist only while a caller listens.

   Used on the worker's thread only. */
#pragma once

#include "core/runtimes/runtime.h"

struct call;
struct call_server;
struct event_hub;
struct generation;

/* A caller that does not read its events slows the runtimes, and so all other listeners, for at most this time; then its stream
   ends with RESOURCE_EXHAUSTED. */
#define EVENT_HUB_PATIENCE_MS 2000

/* NULL when out of memory. The server must outlive it. */
struct event_hub *event_hub_new(struct call_server *server);

/* After event_hub_stop. NULL is allowed. */
void event_hub_free(struct event_hub *hub);

/* Answers a call of GetContainerEvents whose request has arrived: the stream stays open until the caller disconnects or the
   gateway stops. */
void event_hub_listen(struct event_hub *hub, struct call *call);

/* Call this when a runtime has become ready, or is no longer ready. */
void event_hub_runtime_changed(struct event_hub *hub, struct runtime *runtime);

/* Call this before a new generation comes into force: reports the end of pods on runtimes that it lacks, while their ids can
   still be mapped. */
void event_hub_part(struct event_hub *hub, const struct generation *next);

/* Call this after a new generation has come into force: listeners continue under it. */
void event_hub_reload(struct event_hub *hub);

/* How many events were passed to listeners so far, each counted for each of them. */
uint64_t event_hub_passed(const struct event_hub *hub);

/* Call this when the gateway stops and has ended its listeners' streams: ends all subscriptions. */
void event_hub_stop(struct event_hub *hub);
