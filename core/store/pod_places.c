#include "core/store/pod_places.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/keyed_hash.h"
#include "base/system/recent.h"

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
    struct hash_key key;
    struct pod_place pods[PODS];
    struct recent recent_pods;
    struct image_answer answers[ANSWERS];
    struct recent recent_answers;
    uint64_t misses[MISSES];
    size_t next_miss;
};

struct pod_places *pod_places_new(void)
{
    struct pod_places *places = calloc(1, sizeof *places);
    if (places) {
        places->key = hash_key_random();
    }
    if (places && recent_init(&places->recent_pods, PODS) && recent_init(&places->recent_answers, ANSWERS)) {
        return places;
    }
    pod_places_free(places);
    return NULL;
}

void pod_places_free(struct pod_places *places)
{
    if (places) {
        recent_clear(&places->recent_pods);
        recent_clear(&places->recent_answers);
        free(places);
    }
}

/* ---- pods ---- */

/* Its place; RECENT_NONE: it is not known. */
static size_t find_pod(const struct pod_places *places, struct bytes uid, uint64_t hash)
{
    size_t place = recent_first(&places->recent_pods, hash);
    while (place != RECENT_NONE &&
           !bytes_equal(bytes_of((const uint8_t *)places->pods[place].uid, places->pods[place].len), uid)) {
        place = recent_next(&places->recent_pods, place);
    }
    return place;
}

void pod_places_remember(struct pod_places *places, struct bytes uid, unsigned slot)
{
    if (uid.len == 0 || uid.len > sizeof places->pods[0].uid) {
        return;
    }
    uint64_t hash = keyed_hash(&places->key, uid);
    size_t place = find_pod(places, uid, hash);
    if (place == RECENT_NONE) {
        place = recent_add(&places->recent_pods, hash);
        memcpy(places->pods[place].uid, uid.data, uid.len);
        places->pods[place].len = uid.len;
    }
    places->pods[place].slot = slot;
}

bool pod_places_find(const struct pod_places *places, struct bytes uid, unsigned *slot)
{
    size_t place = find_pod(places, uid, keyed_hash(&places->key, uid));
    if (place != RECENT_NONE) {
        *slot = places->pods[place].slot;
    }
    return place != RECENT_NONE;
}

/* ---- images ---- */

/* Never 0, which marks an empty place. */
static uint64_t hash_of(const struct pod_places *places, struct bytes name)
{
    uint64_t hash = keyed_hash(&places->key, name);
    return hash ? hash : 1;
}

static struct image_answer *find_or_add_answer(struct pod_places *places, uint64_t asked)
{
    size_t place = recent_first(&places->recent_answers, asked);
    while (place != RECENT_NONE && places->answers[place].asked != asked) {
        place = recent_next(&places->recent_answers, place);
    }
    return &places->answers[place == RECENT_NONE ? recent_add(&places->recent_answers, asked) : place];
}

void pod_places_image_answered(struct pod_places *places, struct bytes asked, const struct bytes *names, size_t count)
{
    uint64_t hash = hash_of(places, asked);
    struct image_answer *answer = find_or_add_answer(places, hash);
    *answer = (struct image_answer){.asked = hash, .count = count < NAMES ? count : NAMES};
    for (size_t i = 0; i < answer->count; i++) {
        answer->names[i] = hash_of(places, names[i]);
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
    uint64_t hash = hash_of(places, image);
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
    uint64_t hash = hash_of(places, asked);
    for (size_t i = 0; i < MISSES; i++) {
        if (places->misses[i] == hash) {
            places->misses[i] = 0;
            return true;
        }
    }
    return false;
}
