/* What the gateway remembers of the calls that pass, as the behaviour table says. What it makes of that, recall.h tells. */
#ifndef CRIGATE_MEMORY_LEARN_H
#define CRIGATE_MEMORY_LEARN_H

#include "core/calls/call.h"
#include "core/memory/knowledge.h"
#include "core/store/list_asked_at.h"
#include "core/upstream/call.h"

/* When a list or status was asked for, so that an answer that comes late undoes nothing that happened meanwhile. */
struct list_asked_at list_asked_at(const struct knowledge *knowledge, struct runtime *runtime);

/* A full list of pods or containers, in the newest dialect of the runtime's package; aligned if it is in pieces. */
void learn_list(struct knowledge *knowledge, struct runtime *runtime, enum id_kind kind, struct pieces list,
                struct list_asked_at marks);

/* Of which kind the things are that a method's answer tells of. */
enum id_kind learn_kind(enum remember remember);

/* The id of the request as the upstream call's runtime knows it, borrowed from the request. */
struct bytes learn_local_id(const struct upstream_call *upstream, enum id_kind kind);

/* Logs that something could not be remembered. */
void learn_log_failure(const struct runtime *runtime, const struct error *error);

/* The kind of id that a method's answer is about, as a bit 1 << ID_…; 0 for answers that are about neither kind. */
unsigned learn_subject(const struct method *method);

/* Whether a method makes pods or containers. */
bool learn_is_creation(const struct method *method);

/* The time as last_known has it: milliseconds of a clock that never goes back. */
int64_t learn_now(void);

/* Learns where the pods of a list are, which was asked for after a start or reconnect. */
void learn_places(struct knowledge *knowledge, const struct runtime *runtime, struct pieces list);

/* Learns the plain ids, and where pods are, of what is known of a runtime from a former process. */
void learn_from_saved(struct knowledge *knowledge, struct runtime *runtime);

/* How many pods or containers are known of a runtime. */
size_t learn_count(struct runtime *runtime, enum id_kind kind);

/* From now on until the next full list, something may be on the runtime that is not known. */
void learn_doubt(struct runtime *runtime);

/* Whether a pod or container with that id of the runtime's own is known. */
bool learn_has(struct runtime *runtime, enum id_kind kind, struct bytes id);

/* A request is about to go out, and its call has ended, however. */
void learn_request(struct upstream_call *upstream);
void learn_end(struct upstream_call *upstream);

/* Whether learn_answer would learn anything from an answer of that method. */
bool learn_reads_answer(const struct upstream_call *upstream);

/* Whether the answer is a list of all that the runtime holds of a kind, from which learn_answer learns. */
bool learn_wants_list(const struct upstream_call *upstream);

/* What such a list would be if it said nothing new; number 0 where it has to be looked at anyway. */
struct last_known_repetition learn_repetition(const struct upstream_call *upstream);

/* A runtime answered OK, with what upstream->received or upstream call->runs has. */
void learn_answer(struct upstream_call *upstream);

/* Of that, an ImageStatus, and what answers for an image that the caller said by a name. */
void learn_image(const struct upstream_call *upstream, struct bytes received);
void learn_named_image(const struct upstream_call *upstream);

/* The name by which the caller asked for the image of the container that it wants made, for a runtime to which it cannot say it;
   else empty. Borrowed until something is remembered. */
struct bytes learn_image_name(const struct upstream_call *upstream);

/* A runtime answered with a failure of its own. */
void learn_failure(struct upstream_call *upstream);

/* Whether the gateway itself must answer "absent": an ImageStatus for an image that a container of another runtime just missed.
 */
bool learn_says_absent(const struct call *call);

#endif
