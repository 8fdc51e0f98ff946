/* A protocol by which plugins are called: what the engine of hooks needs to know of it. Pure: bytes to bytes. */
#pragma once

#include "translate/hooks/facts.h"

/* Bytes of a plugin's answer; a longer one is refused. */
#define HOOK_ANSWER_SIZE ((size_t)1 << 20)

/* Fields of a plugin's answer, at all levels: a map entry has three. With more it is refused, so that no answer takes long. */
#define HOOK_ANSWER_FIELDS 65536

/* The most fields that a message of answers has. */
#define HOOK_SENT_FIELDS 8

/* What a request has of one field that an answer may repeat: its occurrences, in their order. */
struct hook_sent_field {
    struct bytes *payloads;
    struct bytes *keys; /* of a map's entries, in the order of which these are; an answer may have another */
    size_t count;
};

/* What a request has of all such fields. */
struct hook_sent {
    struct hook_sent_field fields[HOOK_SENT_FIELDS]; /* by their places in the message of answers */
    size_t field_count;
    const uint8_t *places; /* of the fields of an answer, by their numbers; the protocol's own */
    size_t total;          /* occurrences */
    bool readable;         /* false: an answer repeats nothing of it */
};

struct hook_protocol {
    const char *name;                             /* "koordinator" */
    uint32_t stages;                              /* that it has: bits, see hook_stage_bit */
    const char *(*path)(struct hook_stage stage); /* the method's path, a string that lives forever; NULL: it lacks the stage */
    const char *(*stage_name)(struct hook_stage stage); /* as operators know it: "PreRunPodSandbox"; NULL: it lacks the stage */
    /* Encodes the request. The facts may be whole configurations: of these a request has exactly what hook_facts_of leaves, and
       no field that hooks.yaml hides. Strings that cannot be sent (see text.h), and entries of maps with one, are left out; of
       variables with one name only the last counts, as for a process. false: INTERNAL for malformed facts, RESOURCE_EXHAUSTED at
       the arena's cap. */
    bool (*request)(struct hook_stage stage, const struct hook_facts *facts, struct arena *arena, struct bytes *request,
                    struct error *error);
    /* What `rest` needs to know of a request, which it borrows: in the arena. The plugin works meanwhile. NULL: the arena's cap;
       then all of the answer is read. */
    struct hook_sent *(*prepare_rest)(struct hook_stage stage, struct bytes request, struct arena *arena);
    /* Drops what an answer, which is hostile, repeats of the request. Without that it says the same: what it repeats changes
       nothing, and was checked. `rest` is in the arena, or the answer itself; it is empty if the answer says nothing else. false:
       RESOURCE_EXHAUSTED at the arena's cap. */
    bool (*rest)(const struct hook_sent *sent, struct bytes answer, struct arena *arena, struct bytes *rest, struct error *error);
    /* Reads an answer, which is hostile: into the form of facts, in the arena. false: INVALID_ARGUMENT if it is not such a
       message (malformed, not UTF-8, a NUL in a string), RESOURCE_EXHAUSTED if it is longer than HOOK_ANSWER_SIZE, has
       more than HOOK_ANSWER_FIELDS, or at the arena's cap. */
    bool (*answer)(struct hook_stage stage, struct bytes bytes, struct arena *arena, struct hook_facts *answer,
                   struct error *error);
};
