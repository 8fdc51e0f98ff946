/* Learns from calls, as the behaviour table specifies (column `remember`). For the use of it see stale_answer.h. */
#pragma once

#include "core/knowledge/knowledge.h"
#include "core/knowledge/observation.h"

/* The time of a request for a list or status, so that a late answer does not undo what happened meanwhile. */
struct list_asked_at list_asked_at(const struct knowledge *knowledge, struct runtime *runtime);

/* Learns from a full list of pods or containers, in the newest dialect of the runtime's package; aligned if it is in pieces. */
void learn_list(struct knowledge *knowledge, struct runtime *runtime, enum id_kind kind, struct pieces list,
                struct list_asked_at marks);

/* The kind of thing that a method's answer is about. */
enum id_kind learn_kind(enum remember remember);

/* The id in the request, with the runtime's own name, borrowed from the request. */
struct bytes learn_local_id(const struct observation *seen, enum id_kind kind);

/* The runtime's own id of what it created, borrowed from the answer; empty if that has none. */
struct bytes learn_created_id(const struct observation *seen, enum id_kind kind);

/* Logs that something could not be learned. */
void learn_log_failure(const struct runtime *runtime, const struct error *error);

/* The kind of id that a method's answer is about, as a bit 1 << ID_…; 0 for answers that are about neither kind. */
unsigned learn_subject(const struct method *method);

/* Whether a method answers with a list of pods or containers. */
bool learn_is_list(const struct method *method);

/* Whether a method creates pods or containers. */
bool learn_is_creation(const struct method *method);

/* Learns from a list, which was asked for after a start or reconnect, that its pods are on the runtime. */
void learn_places(struct knowledge *knowledge, const struct runtime *runtime, struct pieces list);

/* Learns plain ids, and the places of pods, from what a previous process saved about a runtime. */
void learn_from_saved(struct knowledge *knowledge, struct runtime *runtime);

/* Records that the runtime may hold something unknown, until the next full list. */
void learn_doubt(struct runtime *runtime);

/* Call these when a request is about to be sent, and when its call has ended, with any result. */
void learn_request(struct observation *seen);
void learn_end(struct observation *seen);

/* Whether learn_answer would learn anything from an answer of that method. */
bool learn_reads_answer(const struct observation *seen);

/* Whether the answer is a list of all that the runtime holds of a kind, from which learn_answer learns. */
bool learn_wants_list(const struct observation *seen);

/* The known list to compare such a list with, to see whether it is the same; number 0: none, it is read anyway. */
struct last_known_repetition learn_repetition(const struct observation *seen);

/* Learns from a runtime's answer, which is in seen->received, or seen->runs for a list; `response` is the answer that the caller
   gets. */
void learn_answer(const struct observation *seen, struct bytes response);

/* Parts of learn_answer: for an ImageStatus, and for an answer about an image for which the caller gave a name. */
void learn_image(const struct observation *seen);
void learn_named_image(const struct observation *seen, struct bytes response);

/* Whether the caller may not be able to say by which name the user requested an image, while the runtime may want to know. */
bool learn_wants_image_name(const struct observation *seen);

/* For a CreateContainer whose caller may not be able to say by which name the user requested the image, on a runtime that may
   want to know: the name by which the caller asked for it; else empty. Borrowed until something is learned. */
struct bytes learn_image_name(const struct observation *seen);

/* Learns from a runtime's own failure; `details` is its message. */
void learn_failure(const struct observation *seen, struct bytes details);

/* Whether the gateway itself must answer "absent" to a request for the primary alone: an ImageStatus for an image that was just
   missing for a container on another runtime. */
bool learn_says_absent(const struct knowledge *knowledge, const struct request *request);
