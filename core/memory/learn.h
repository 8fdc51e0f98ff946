/* What is learned from the calls that pass, as the behaviour table says. What is made of that: see stale_answer.h. */
#ifndef CRIGATE_MEMORY_LEARN_H
#define CRIGATE_MEMORY_LEARN_H

#include "core/memory/knowledge.h"
#include "core/memory/observation.h"

/* When a list or status was asked for, so that an answer that comes late undoes nothing that happened meanwhile. */
struct list_asked_at list_asked_at(const struct knowledge *knowledge, struct runtime *runtime);

/* A full list of pods or containers, in the newest dialect of the runtime's package; aligned if it is in pieces. */
void learn_list(struct knowledge *knowledge, struct runtime *runtime, enum id_kind kind, struct pieces list,
                struct list_asked_at marks);

/* Of which kind the things are that a method's answer tells of. */
enum id_kind learn_kind(enum remember remember);

/* The id of the request as the runtime knows it, borrowed from the request. */
struct bytes learn_local_id(const struct observation *seen, enum id_kind kind);

/* Logs that something could not be remembered. */
void learn_log_failure(const struct runtime *runtime, const struct error *error);

/* The kind of id that a method's answer is about, as a bit 1 << ID_…; 0 for answers that are about neither kind. */
unsigned learn_subject(const struct method *method);

/* Whether a method answers with a list of pods or containers. */
bool learn_is_list(const struct method *method);

/* Whether a method makes pods or containers. */
bool learn_is_creation(const struct method *method);

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
void learn_request(struct observation *seen);
void learn_end(struct observation *seen);

/* Whether learn_answer would learn anything from an answer of that method. */
bool learn_reads_answer(const struct observation *seen);

/* Whether the answer is a list of all that the runtime holds of a kind, from which learn_answer learns. */
bool learn_wants_list(const struct observation *seen);

/* What such a list would be if it said nothing new; number 0 where it has to be looked at anyway. */
struct last_known_repetition learn_repetition(const struct observation *seen);

/* A runtime answered OK, with what seen->received or seen->runs has; `response` is what the caller gets of that. */
void learn_answer(const struct observation *seen, struct bytes response);

/* Of that, an ImageStatus, and what answers for an image that the caller said by a name. */
void learn_image(const struct observation *seen);
void learn_named_image(const struct observation *seen, struct bytes response);

/* The name by which the caller asked for the image of the container that it wants made, for a runtime to which it cannot say it;
   else empty. Borrowed until something is remembered. */
struct bytes learn_image_name(const struct observation *seen);

/* A runtime answered with a failure of its own, for the reason in `details`. */
void learn_failure(const struct observation *seen, struct bytes details);

/* Whether the gateway itself must answer "absent" to a request that is for the primary alone: an ImageStatus for an image that a
   container of another runtime just missed. */
bool learn_says_absent(const struct knowledge *knowledge, const struct request *request);

#endif
