/* What was told of a runtime's pods and containers: how far in its life each one is for those who listen. So nothing is told
   twice, and what was missed is found by holding lists against it. All ids are the runtime's own. For one thread; no clock, no
   I/O. */
#pragma once

#include "translate/lists/container_event.h"

struct event_table;

/* What is deleted stays known for so many other deletions, so that what is told late of it is not taken for new. */
#define EVENT_TABLE_DELETED 8192

/* Beyond so many pods and containers nothing more is remembered. */
#define EVENT_TABLE_LIMIT 250000

/* Bytes in an id; what has a longer one, or none, is not remembered. */
#define EVENT_TABLE_LONGEST_ID 255

/* What pods look like is remembered in so many bytes; beyond, the last event of a pod may lack its status. */
#define EVENT_TABLE_SEEN ((size_t)16 * 1024 * 1024)

/* NULL when there is no memory. */
struct event_table *event_table_new(void);

/* NULL is allowed. */
void event_table_free(struct event_table *table);

/* The stages, as bits 1 << STAGE_…, that are to be told now that something is known to have come to `stage`: none when that was
   told before; otherwise that one, and those before it that were not told and must have been. A pod goes through all of them. A
   container was created before all else, and was stopped before its deletion if it was started; it was started before it was
   stopped unless it is known that it never was. */
unsigned event_table_untold(const struct event_table *table, enum id_kind kind, struct bytes id, enum container_stage stage,
                            bool never_started);

/* Whether the id is known to be a pod's. */
bool event_table_is_pod(const struct event_table *table, struct bytes id);

/* Whether anything is known of the id but what was over before anybody listened. */
bool event_table_knows(const struct event_table *table, struct bytes id);

/* It came to that stage before anybody listened: nothing of it is told, nor that lists lack it, until it is heard of otherwise.
   Ignored for what is known, and where there is no room. */
void event_table_was_before(struct event_table *table, enum id_kind kind, struct bytes id, enum container_stage stage);

/* It was told. `pod` may be empty. false: no room, and so the same will be told again if it is heard of again. */
bool event_table_told(struct event_table *table, enum id_kind kind, struct bytes id, struct bytes pod,
                      enum container_stage stage);

/* What a pod looks like, for its last event. The bytes are copied; ignored for a pod that is not known, or deleted, and where
   there is no room. */
void event_table_see_pod(struct event_table *table, struct bytes id, const struct container_event_pod *seen);

/* What was seen of a pod, borrowed until the table's next change; false when nothing was. */
bool event_table_seen_pod(const struct event_table *table, struct bytes id, struct container_event_pod *seen);

/* A number greater than all before, to be taken when a list is asked for: only what was known before is missing in it. */
uint64_t event_table_ask(struct event_table *table);

/* Something that lists show to have come to a stage that was not told. */
struct event_tale {
    enum id_kind kind;
    enum container_stage stage;
    struct bytes id;
    struct bytes pod;
    bool pod_is_gone; /* no use to ask the runtime for its status */
};

/* Full lists of all containers and, asked for after they were there, of all pods, in the newest dialect of the runtime's package.
 */
struct event_lists {
    enum dialect dialect;
    struct bytes containers;
    struct bytes pods;
    uint64_t containers_asked;
    uint64_t pods_asked;
    const struct event_tale *heard; /* what is to be told with what lists show, having been heard of before they were asked for */
    size_t heard_count;
};

/* A container that a list shows. */
struct event_member {
    struct bytes pod;
    struct bytes id;
};

struct event_comparison {
    struct event_tale *tales; /* in the order in which to tell them, those of one pod in a row */
    size_t tale_count;
    struct event_member *members; /* by pod */
    size_t member_count;
};

/* Holds lists against the table, and learns from them which pods there are and what they look like, but not that anything was
   told. The answer lives in the arena and borrows nothing. false: INTERNAL for lists that are malformed, RESOURCE_EXHAUSTED
   without memory. */
bool event_table_compare(struct event_table *table, const struct event_lists *lists, struct arena *arena,
                         struct event_comparison *comparison, struct error *error);

/* Puts tales and members into their order. */
void event_comparison_sort(struct event_comparison *comparison);

/* The members of a pod: the first of them, and how many. */
const struct event_member *event_comparison_members(const struct event_comparison *comparison, struct bytes pod, size_t *count);

/* Pods and containers that are known and not deleted. */
size_t event_table_count(const struct event_table *table);
