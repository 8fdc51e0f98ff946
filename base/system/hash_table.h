/* Finds items by a hash. The items are the user's, and each has a struct hash_link for each table that it is in, so that a table
   takes no memory for an item but its share of the chains. Of names that others choose, the hash is a keyed_hash. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash_link {
    struct hash_link *next;
    struct hash_link **place; /* what points to this one */
    uint64_t hash;
};

struct hash_table {
    struct hash_link **chains;
    size_t capacity; /* chains, a power of two */
    size_t count;    /* items */
};

/* The item of a link that is not NULL: HASH_ITEM(link, struct thing, link). */
#define HASH_ITEM(link, type, member) ((type *)(void *)((char *)(link)-offsetof(type, member)))

/* false: out of memory. */
bool hash_table_init(struct hash_table *table);

/* Frees the table, and no item. A zeroed one is allowed. */
void hash_table_clear(struct hash_table *table);

/* Adds an item that is not in the table, and never fails: without memory to grow, searches take longer. */
void hash_table_add(struct hash_table *table, struct hash_link *link, uint64_t hash);

void hash_table_remove(struct hash_table *table, struct hash_link *link);

/* Gives memory back after many items went. Without memory for a smaller table the big one stays. */
void hash_table_shrink(struct hash_table *table);

/* Bytes of memory that it has, beside the items. */
static inline size_t hash_table_memory(const struct hash_table *table)
{
    return table->capacity * sizeof(struct hash_link *);
}

static inline struct hash_link *hash_link_same(struct hash_link *link, uint64_t hash)
{
    while (link && link->hash != hash) {
        link = link->next;
    }
    return link;
}

/* An item with that hash, and the next one with the same; NULL: there is none. */
static inline struct hash_link *hash_table_find(const struct hash_table *table, uint64_t hash)
{
    return hash_link_same(table->chains[hash & (table->capacity - 1)], hash);
}

static inline struct hash_link *hash_link_next(const struct hash_link *link)
{
    return hash_link_same(link->next, link->hash);
}

/* The first of all items, and the one after another; NULL: there is none. */
struct hash_link *hash_table_first(const struct hash_table *table);
struct hash_link *hash_table_after(const struct hash_table *table, const struct hash_link *link);

/* A loop over all items, each of which may be removed in its turn, and freed. Nothing may be added meanwhile. */
#define HASH_TABLE_EACH(table, link)                                                                                             \
    for (struct hash_link *link = hash_table_first(table), *link##_after;                                                        \
         link && ((link##_after = hash_table_after(table, link)), true); link = link##_after)
