/* A list of everything that the gateway asks a runtime for by itself, as a stream: where it is too long for one message. */
#ifndef CRIGATE_CORE_LIST_INQUIRY_H
#define CRIGATE_CORE_LIST_INQUIRY_H

#include "core/inquiry.h"
#include "core/runtime.h"

struct list_inquiry;

/* Opens the stream of that row and collects its messages, each of which may take so many milliseconds. `done` is called as by an
   inquiry, with all messages in sequence. NULL: no memory; `done` is not called then. */
struct list_inquiry *list_inquiry_start(struct runtime *runtime, const struct method *stream, int64_t milliseconds,
                                        inquiry_done *done, void *state);

/* Ends it early; `done` is not called any more. */
void list_inquiry_cancel(struct list_inquiry *inquiry);

#endif
