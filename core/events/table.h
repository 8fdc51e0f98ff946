/* Which steps of each pod and container of a runtime were reported to the listeners. So nothing is reported twice, and a
   comparison with lists finds what was missed. All ids are the runtime's own. For one thread; no clock, no I/O. */
#pragma once

#include "translate/lists/container_event.h"

struct event_table;

/* Deleted pods and containers stay known until this many others are deleted, so that late events about them do not count as new.
 */
#define EVENT_TABLE_DELETED 8192

/* The largest number of remembered pods and containers. */
#define EVENT_TABLE_LIMIT 250000

/* The longest id in bytes; pods and containers with a longer id, or none, are not remembered. */
#define EVENT_TABLE_LONGEST_ID 255

/* The number of bytes for the last known states of pods; beyond that, the last event of a pod may lack its status. */
#define EVENT_TABLE_SEEN ((size_t)16 * 1024 * 1024)

/* NULL when out of memory. */
struct event_table *event_table_new(void);

/* NULL is allowed. */
void event_table_free(struct event_table *table);

/* The stages, as bits 1 << STAGE_…, that must be reported now that something has reached `stage`: none if that stage was reported
   before; otherwise that stage and the earlier ones that were not reported and must have happened. A pod goes through all stages.
   A container is created first; if it was started, it stops before its deletion. It counts as started before it stopped, unless
   it is known that it never started. What a list has shown has happened, even if it could not be reported before the event of the
   deletion came. */
unsigned event_table_untold(const struct event_table *table, enum id_kind kind, struct bytes id, enum container_stage stage,
                            bool never_started);

/* Whether the id is known to be a pod's. */
bool event_table_is_pod(const struct event_table *table, struct bytes id);

/* Whether anything is known of the id, except what was over before anybody listened. */
bool event_table_knows(const struct event_table *table, struct bytes id);

/* Records that it reached that stage before anybody listened: nothing about it is reported, not even that it is missing in lists,
   until the next event about it. Ignored for a known id, and if there is no room. */
void event_table_was_before(struct event_table *table, enum id_kind kind, struct bytes id, enum container_stage stage);

/* Records that it was reported. `pod` may be empty. false: no room, so the next event about it is reported again. */
bool event_table_told(struct event_table *table, enum id_kind kind, struct bytes id, struct bytes pod,
                      enum container_stage stage);

/* Stores the last known state of a pod, for its last event. The bytes are copied; ignored for a pod that is unknown or deleted,
   and if there is no room. */
void event_table_see_pod(struct event_table *table, struct bytes id, const struct container_event_pod *seen);

/* The last known state of a pod, borrowed until the table's next change; false if there is none. */
bool event_table_seen_pod(const struct event_table *table, struct bytes id, struct container_event_pod *seen);

/* A number greater than all before. Take it when a list is requested: only what was known before that can count as missing in the
   list. */
uint64_t event_table_ask(struct event_table *table);

/* A stage that lists show, and that was not reported. */
struct event_tale {
    enum id_kind kind;
    enum container_stage stage;
    struct bytes id;
    struct bytes pod;
    bool pod_is_gone; /* the runtime cannot answer with its status */
};

/* Full lists of all containers and of all pods, in the newest dialect of the runtime's package. The pods must be requested after
   the containers have arrived. */
struct event_lists {
    enum dialect dialect;
    struct bytes containers;
    struct bytes pods;
    uint64_t containers_asked;
    uint64_t pods_asked;
    const struct event_tale *heard; /* steps that were seen before the lists were requested, and must be reported with them */
    size_t heard_count;
};

/* A container in a list. */
struct event_member {
    struct bytes pod;
    struct bytes id;
};

struct event_comparison {
    struct event_tale *tales; /* in the order of reporting; those of one pod are adjacent */
    size_t tale_count;
    struct event_member *members; /* by pod */
    size_t member_count;
};

/* Compares lists with the table, and learns from them which pods exist and their states, but marks nothing as reported. The
   result is in the arena and borrows nothing. false: INTERNAL for malformed lists, RESOURCE_EXHAUSTED without memory. */
bool event_table_compare(struct event_table *table, const struct event_lists *lists, struct arena *arena,
                         struct event_comparison *comparison, struct error *error);

/* Sorts tales and members. */
void event_comparison_sort(struct event_comparison *comparison);

/* The members of a pod: pointer to the first, and their number. */
const struct event_member *event_comparison_members(const struct event_comparison *comparison, struct bytes pod, size_t *count);

/* The number of known pods and containers that are not deleted. */
size_t event_table_count(const struct event_table *table);
