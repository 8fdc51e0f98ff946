#include "base/system/hash_table.h"

#include <stdlib.h>

#define SMALLEST 64

static void put(struct hash_link **chains, size_t capacity, struct hash_link *link)
{
    struct hash_link **place = &chains[link->hash & (capacity - 1)];
    link->next = *place;
    link->place = place;
    *place = link;
    if (link->next) {
        link->next->place = &link->next;
    }
}

static bool resize(struct hash_table *table, size_t capacity)
{
    struct hash_link **chains = calloc(capacity, sizeof(struct hash_link *));
    if (!chains) {
        return false;
    }
    HASH_TABLE_EACH(table, link)
    {
        put(chains, capacity, link);
    }
    free(table->chains);
    table->chains = chains;
    table->capacity = capacity;
    return true;
}

bool hash_table_init(struct hash_table *table)
{
    *table = (struct hash_table){0};
    return resize(table, SMALLEST);
}

void hash_table_clear(struct hash_table *table)
{
    free(table->chains);
    *table = (struct hash_table){0};
}

void hash_table_add(struct hash_table *table, struct hash_link *link, uint64_t hash)
{
    if (table->count >= table->capacity) {
        resize(table, table->capacity * 2);
    }
    link->hash = hash;
    put(table->chains, table->capacity, link);
    table->count++;
}

void hash_table_remove(struct hash_table *table, struct hash_link *link)
{
    *link->place = link->next;
    if (link->next) {
        link->next->place = link->place;
    }
    table->count--;
}

void hash_table_shrink(struct hash_table *table)
{
    size_t capacity = table->capacity;
    while (capacity > SMALLEST && table->count * 8 < capacity) {
        capacity /= 2;
    }
    if (capacity < table->capacity) {
        resize(table, capacity);
    }
}

static struct hash_link *first_from(const struct hash_table *table, size_t chain)
{
    while (chain < table->capacity && !table->chains[chain]) {
        chain++;
    }
    return chain < table->capacity ? table->chains[chain] : NULL;
}

struct hash_link *hash_table_first(const struct hash_table *table)
{
    return first_from(table, 0);
}

struct hash_link *hash_table_after(const struct hash_table *table, const struct hash_link *link)
{
    return link->next ? link->next : first_from(table, (link->hash & (table->capacity - 1)) + 1);
}
