/* The store of what is last known, and what is in it. Only last_known*.c include this. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <grpc/slice.h>

#include "base/bytes/error.h"
#include "base/system/hash_table.h"
#include "base/system/keyed_hash.h"
#include "core/store/list_digest.h"
#include "translate/bytes/pieces.h"
#include "translate/schema/id_kind.h"
#include "translate/schema/schema.h"

enum change {
    CHANGE_NONE,
    CHANGE_CREATED,
    CHANGE_REMOVED,
};

/* Bytes that the store owns. */
struct content {
    uint8_t *data;
    size_t len;
};

struct status {
    struct content content; /* without data: none is known */
    enum dialect dialect;
    int32_t state;
    uint64_t asked;
    int64_t taken_at;
};

/* What is known of one id apart from the lists. */
struct thing {
    struct hash_link link;
    enum id_kind kind;

    enum change change;
    uint64_t changed; /* when, as a sequence number */
    enum dialect created_dialect;
    struct content created; /* the list that shows it */

    struct status status;
    struct thing *older; /* statuses by age */
    struct thing *newer;

    uint64_t met;         /* the last pass over a list that found it */
    uint64_t listed;      /* number of the list that has it; 0: of none */
    int32_t listed_state; /* as that list has it */
    size_t id_len;
    uint8_t id[];
};

struct known_list {
    bool known;
    enum dialect dialect;
    struct content content;
    uint64_t number; /* of the content, see last_known_repetition; 0: none */
    struct list_digest items;
    uint64_t asked;
    int64_t taken_at;
    uint64_t digest; /* of ids and states, whatever their order */
    bool settled;    /* nothing was learned since that the same list could still change */
};

/* A list that has not taken the place of the known one yet. */
struct held_list {
    grpc_slice *slices; /* referenced; NULL: none is held */
    size_t count;
    enum dialect dialect;
    struct list_digest digest;
    bool digested; /* otherwise the digest is not known yet */
    uint64_t asked;
    int64_t taken_at;
};

struct last_known {
    size_t limit;
    size_t used;
    uint64_t sequence;
    uint64_t version;
    uint64_t replaced;   /* lists that have taken the place of others */
    uint64_t not_before; /* earlier queries lack changes that were dropped */
    struct known_list lists[ID_KIND_COUNT];
    struct held_list held[ID_KIND_COUNT];
    enum status_code held_failure;   /* why a list that was held is not known: of the last one; STATUS_OK: none */
    unsigned changes[ID_KIND_COUNT]; /* lists in sequence that were held, because each said something new; counted up to a few */
    uint64_t pass;                   /* counts passes over lists */
    struct hash_key key;
    struct list_secret secret;
    struct hash_table things;
    size_t removals; /* things whose last change is their removal */
    struct thing *oldest_status;
    struct thing *newest_status;
};

static inline struct bytes last_known_content(struct content content)
{
    return bytes_of(content.data, content.len);
}

static inline struct thing *last_known_thing(struct hash_link *link)
{
    return HASH_ITEM(link, struct thing, link);
}

static inline struct bytes last_known_id(const struct thing *thing)
{
    return bytes_of(thing->id, thing->id_len);
}

/* INTERNAL: bytes from the runtime or a file are malformed. */
bool last_known_malformed(struct error *error, const char *what);

/* RESOURCE_EXHAUSTED. */
bool last_known_no_room(const struct last_known *store, struct error *error);

/* Keeps a copy in `content`, whose former bytes were cleared. false: out of memory. */
bool last_known_set_content(struct last_known *store, struct content *content, struct pieces bytes);

void last_known_clear_content(struct last_known *store, struct content *content);

/* The thing of that id; NULL when there is none, or no memory for a new one. */
struct thing *last_known_find(const struct last_known *store, enum id_kind kind, struct bytes id);
struct thing *last_known_find_or_add(struct last_known *store, enum id_kind kind, struct bytes id);

void last_known_clear_change(struct last_known *store, struct thing *thing);
void last_known_clear_status(struct last_known *store, struct thing *thing);

/* Puts a thing that just got its status among those that have one, as the newest. */
void last_known_add_status(struct last_known *store, struct thing *thing);

/* Calls `look` for each thing, which may clear what is known of it; frees those of which nothing is known. */
void last_known_sweep(struct last_known *store, void (*look)(struct last_known *store, struct thing *thing, const void *state),
                      const void *state);

/* Drops all that is known. No answer to an earlier query counts from then on: it may lack what was dropped. */
void last_known_give_up(struct last_known *store);

/* Drops what exceeds the limit. false: everything was dropped. */
bool last_known_keep_limit(struct last_known *store);

/* Drops a held list, if any. */
void last_known_drop_held(struct held_list *held);

/* When it was removed; 0 when it was not, or later lists reflect it. */
uint64_t last_known_removed_at(const struct last_known *store, enum id_kind kind, struct bytes id);

/* A removal or creation at that time. The first returns false without memory. */
bool last_known_mark_removed(struct last_known *store, enum id_kind kind, struct bytes id, uint64_t sequence);
bool last_known_mark_created(struct last_known *store, enum id_kind kind, enum dialect dialect, struct bytes list,
                             uint64_t sequence, struct error *error);

/* The one item of a list of one. */
struct list_item;
bool last_known_only_item(enum id_kind kind, enum dialect dialect, struct bytes list, struct list_item *item);

/* Whether the list has the same state of a thing as a status. */
bool last_known_confirms(const struct known_list *list, const struct thing *thing, const struct status *status);

/* A status that is not too late. `status` has all but the content. */
bool last_known_keep_status(struct last_known *store, enum id_kind kind, struct bytes id, const struct status *status,
                            struct bytes response, struct error *error);
