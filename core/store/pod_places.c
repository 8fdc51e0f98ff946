#include "core/store/pod_places.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/keyed_hash.h"

#define PODS 4096   /* far more than a node runs */
#define ANSWERS 512 /* images that callers request between a question and the creation of a container from it */
#define NAMES 16    /* of one image */
#define MISSES 64

struct pod_place {
    char uid[64];
    size_t len;
    unsigned slot;
};

/* Names are kept as hashes: a mistake costs one needless pull. */
struct image_answer {
    uint64_t asked;
    uint64_t names[NAMES];
    size_t count;
};

struct pod_places {
    struct pod_place pods[PODS];
    size_t next_pod;
    struct image_answer answers[ANSWERS];
    size_t next_answer;
    uint64_t misses[MISSES];
    size_t next_miss;
};

struct pod_places *pod_places_new(void)
{
    return calloc(1, sizeof(struct pod_places));
}

void pod_places_free(struct pod_places *places)
{
    free(places);
}

/* ---- pods ---- */

static struct pod_place *find_pod(const struct pod_places *places, struct bytes uid)
{
    for (size_t i = 0; uid.len > 0 && i < PODS; i++) {
        const struct pod_place *pod = &places->pods[i];
        if (pod->len == uid.len && memcmp(pod->uid, uid.data, uid.len) == 0) {
            return (struct pod_place *)(uintptr_t)pod;
        }
    }
    return NULL;
}

void pod_places_remember(struct pod_places *places, struct bytes uid, unsigned slot)
{
    if (uid.len == 0 || uid.len > sizeof places->pods[0].uid) {
        return;
    }
    struct pod_place *pod = find_pod(places, uid);
    if (!pod) {
        pod = &places->pods[places->next_pod++ % PODS];
        memcpy(pod->uid, uid.data, uid.len);
        pod->len = uid.len;
    }
    pod->slot = slot;
}

bool pod_places_find(const struct pod_places *places, struct bytes uid, unsigned *slot)
{
    const struct pod_place *pod = find_pod(places, uid);
    if (pod) {
        *slot = pod->slot;
    }
    return pod != NULL;
}

/* ---- images ---- */

/* Never 0, which marks an empty place. */
static uint64_t hash_of(struct bytes name)
{
    static const struct hash_key everybodys = {{0, 0}};
    uint64_t hash = keyed_hash(&everybodys, name);
    return hash ? hash : 1;
}

static struct image_answer *find_answer(struct pod_places *places, uint64_t asked)
{
    for (size_t i = 0; i < ANSWERS; i++) {
        if (places->answers[i].asked == asked) {
            return &places->answers[i];
        }
    }
    return NULL;
}

void pod_places_image_answered(struct pod_places *places, struct bytes asked, const struct bytes *names, size_t count)
{
    uint64_t hash = hash_of(asked);
    struct image_answer *answer = find_answer(places, hash);
    if (!answer) {
        answer = &places->answers[places->next_answer++ % ANSWERS];
    }
    *answer = (struct image_answer){.asked = hash, .count = count < NAMES ? count : NAMES};
    for (size_t i = 0; i < answer->count; i++) {
        answer->names[i] = hash_of(names[i]);
    }
}

static void add_miss(struct pod_places *places, uint64_t hash)
{
    for (size_t i = 0; i < MISSES; i++) {
        if (places->misses[i] == hash) {
            return;
        }
    }
    places->misses[places->next_miss++ % MISSES] = hash;
}

/* The container names the image by what the answer to the question said: an id or a digest, perhaps. Every name that was asked
   for and led to that is missed. */
void pod_places_image_missed(struct pod_places *places, struct bytes image)
{
    uint64_t hash = hash_of(image);
    add_miss(places, hash);
    for (size_t i = 0; i < ANSWERS; i++) {
        const struct image_answer *answer = &places->answers[i];
        for (size_t j = 0; j < answer->count; j++) {
            if (answer->names[j] == hash) {
                add_miss(places, answer->asked);
            }
        }
    }
}

bool pod_places_take_miss(struct pod_places *places, struct bytes asked)
{
    uint64_t hash = hash_of(asked);
    for (size_t i = 0; i < MISSES; i++) {
        if (places->misses[i] == hash) {
            places->misses[i] = 0;
            return true;
        }
    }
    return false;
}
