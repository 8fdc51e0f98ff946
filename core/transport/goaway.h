/* Telling callers to go elsewhere, without failing a call.

   C core says GOAWAY only when a server shuts down, and from that moment on it cancels the calls that come in, also those that
   were sent before the caller could know. So the first GOAWAY, which says "start no new calls here, those that you have started
   are welcome", is written to the connections here, beside C core, while its server still takes calls. That is sound at one
   moment only: when no reply is being written, because then C core writes nothing but small control frames, each of them whole
   and at once. */
#ifndef CRIGATE_TRANSPORT_GOAWAY_H
#define CRIGATE_TRANSPORT_GOAWAY_H

#include <stdbool.h>
#include <stddef.h>

struct farewell;

/* NULL: no memory or no descriptors. */
struct farewell *farewell_new(void);

/* A connection that C core is given. false: it cannot be noted, and its caller would not be told. On the thread that accepts. */
bool farewell_note(struct farewell *farewell, int connection);

/* Connections that are noted and have not hung up, as far as farewell_sweep has seen. On the thread that accepts. */
size_t farewell_count(const struct farewell *farewell);

/* A descriptor that can be read when connections have hung up; farewell_sweep then lets go of some of them, and answers whether
   there were any. On the thread that accepts. */
int farewell_descriptor(const struct farewell *farewell);
bool farewell_sweep(struct farewell *farewell);

/* Says it on all connections that are alive. Nobody may accept any more, and no reply be in the making. Any thread. */
void farewell_say(struct farewell *farewell);

/* Says it on one, by its descriptor. At that moment nothing but small control frames may be written to it. */
void farewell_say_to(int connection);

/* Hangs up on all connections: what C core has to write fails, so that it can end them. As farewell_say, but at any moment. */
void farewell_hang_up(struct farewell *farewell);

/* NULL is allowed. */
void farewell_free(struct farewell *farewell);

#endif
