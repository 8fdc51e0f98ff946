#include "tests/unit/translate/random_message.h"

#include "translate/bytes/output.h"
#include "translate/bytes/wire.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MOST_TEXT 24

/* splitmix64 */
uint64_t random_next(struct random *random)
{
    uint64_t mixed = random->state += UINT64_C(0x9E3779B97F4A7C15);
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94D049BB133111EB);
    return mixed ^ mixed >> 31;
}

uint32_t random_below(struct random *random, uint32_t bound)
{
    return (uint32_t)(random_next(random) % bound);
}

struct maker {
    struct random *random;
    const struct random_shape *shape;
    unsigned elements; /* left */
    struct walk_output output;
};

static bool put_message(struct maker *maker, const struct schema_message *message);

static bool one_in(struct maker *maker, uint32_t count)
{
    return random_below(maker->random, count) == 0;
}

/* ---- values ---- */

#define HEX "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* Words that mean something to rules, next to words that mean nothing. */
static const char *const words[] = {
    "",
    "a",
    "busybox",
    "kata__1f2e",
    ("sha256:" HEX),
    HEX,
    ("docker-pullable://b@sha256:" HEX),
    "runtime/default",
    "/",
    "//x",
    "http://[::1]:1/",
    "<none>",
    "/var/lib/x",
    "\xC3\xA9",
    "memory.swap.max",
    "0",
    "NODE",
    "+/,=",
    "virtlet.cloud/c",
    "\t\"\\",
    "cdi.k8s.io/x",
    "f",
    "\xF0\x9F\x90\xB3",
    "0.1.0",
};

/* Any other string in these fields is refused, whichever dialects. */
static const char *const profile_fields[] = {"seccomp_profile_path", "apparmor_profile"};
static const char *const profiles[] = {"", "runtime/default", "unconfined", "localhost/p", "localhost//a/b"};

static const char *word_for(struct maker *maker, const struct schema_field *field)
{
    for (size_t i = 0; i < COUNT(profile_fields); i++) {
        if (strcmp(field->name, profile_fields[i]) == 0) {
            return profiles[random_below(maker->random, COUNT(profiles))];
        }
    }
    return words[random_below(maker->random, COUNT(words))];
}

static bool put_text(struct maker *maker, const struct schema_field *field)
{
    char letters[MOST_TEXT];
    struct bytes text = bytes_of_string(word_for(maker, field));
    if (text.len > 0 && text.len < MOST_TEXT && text.data[0] == 'f') {
        text = bytes_of(letters, random_below(maker->random, MOST_TEXT));
        for (size_t i = 0; i < text.len; i++) {
            letters[i] = (char)('a' + random_below(maker->random, 26));
        }
    }
    return walk_output_put_field(&maker->output, field->number, text);
}

static uint64_t number_for(struct maker *maker, const struct schema_field *field)
{
    uint64_t any = random_next(maker->random) >> random_below(maker->random, 64);
    switch ((enum field_type)field->type) {
    case FIELD_BOOL:
        return any & 1;
    case FIELD_UINT32:
        return (uint32_t)any;
    case FIELD_INT32:
        return (uint64_t)(int64_t)(int32_t)(uint32_t)any;
    case FIELD_ENUM: {
        const struct schema_enum *enumeration = field->enumeration;
        uint32_t index = random_below(maker->random, (uint32_t)enumeration->value_count + (one_in(maker, 16) ? 1 : 0));
        return index == enumeration->value_count ? 4711 : (uint64_t)enumeration->values[index].number;
    }
    default:
        return any;
    }
}

static bool put_fixed(struct maker *maker)
{
    double value = (double)(int32_t)(uint32_t)random_next(maker->random) / 8;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint8_t bytes[sizeof bits];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(bits >> 8 * i);
    }
    return walk_output_put(&maker->output, bytes, sizeof bytes);
}

static bool put_scalar(struct maker *maker, const struct schema_field *field)
{
    return field->type == FIELD_DOUBLE ? put_fixed(maker) : walk_output_put_varint(&maker->output, number_for(maker, field));
}

/* ---- occurrences ---- */

static bool put_packed(struct maker *maker, const struct schema_field *field)
{
    size_t opened = walk_output_open(&maker->output, field->number, 0);
    bool done = opened != SIZE_MAX;
    for (uint32_t left = random_below(maker->random, 5); done && left > 0; left--) {
        done = put_scalar(maker, field);
    }
    return done && walk_output_close(&maker->output, opened, 0);
}

static bool put_sub_message(struct maker *maker, const struct schema_field *field)
{
    size_t opened = walk_output_open(&maker->output, field->number, 0);
    return opened != SIZE_MAX && put_message(maker, field->message) && walk_output_close(&maker->output, opened, 0);
}

static bool put_occurrence(struct maker *maker, const struct schema_field *field)
{
    switch ((enum field_type)field->type) {
    case FIELD_MESSAGE:
        return put_sub_message(maker, field);
    case FIELD_STRING:
    case FIELD_BYTES:
        return put_text(maker, field);
    default:
        break;
    }
    if (field->repeated && one_in(maker, 2)) {
        return put_packed(maker, field);
    }
    uint64_t wire = field->type == FIELD_DOUBLE ? WIRE_FIXED64 : WIRE_VARINT;
    return walk_output_put_varint(&maker->output, (uint64_t)field->number << 3 | wire) && put_scalar(maker, field);
}

static uint32_t occurrences(struct maker *maker, const struct schema_field *field)
{
    if (field->repeated) {
        return 1 + random_below(maker->random, 3);
    }
    /* Not of enums: where the last value is one that the other dialect lacks, the one before it would stand. */
    return field->type != FIELD_MESSAGE && field->type != FIELD_ENUM && one_in(maker, 16) ? 2 : 1;
}

/* Sub-messages come more often than what is in them, or sparse messages would hold nothing. */
static bool is_there(struct maker *maker, const struct schema_field *field)
{
    enum { MESSAGES_MORE = 40 };
    unsigned density = maker->shape->density + (field->type == FIELD_MESSAGE ? MESSAGES_MORE : 0);
    return maker->elements > 0 && random_below(maker->random, 100) < density;
}

static bool put_field(struct maker *maker, const struct schema_field *field)
{
    if (!is_there(maker, field)) {
        return true;
    }
    for (uint32_t left = occurrences(maker, field); left > 0 && maker->elements > 0; left--) {
        maker->elements--;
        if (!put_occurrence(maker, field)) {
            return false;
        }
    }
    return true;
}

static bool put_unknown(struct maker *maker)
{
    static const enum wire_type types[] = {WIRE_VARINT, WIRE_FIXED64, WIRE_LENGTH, WIRE_FIXED32};
    uint32_t number = UNKNOWN_NUMBERS_FROM + random_below(maker->random, 1000);
    enum wire_type type = types[random_below(maker->random, COUNT(types))];
    if (type == WIRE_LENGTH) {
        return walk_output_put_field(&maker->output, number, bytes_of_string("unknown"));
    }
    uint64_t value = random_next(maker->random);
    size_t size = type == WIRE_FIXED64 ? sizeof value : sizeof(uint32_t);
    return walk_output_put_varint(&maker->output, (uint64_t)number << 3 | type) &&
           (type == WIRE_VARINT ? walk_output_put_varint(&maker->output, value) : walk_output_put(&maker->output, &value, size));
}

static bool put_message(struct maker *maker, const struct schema_message *message)
{
    uint32_t first = message->field_count > 0 && one_in(maker, 2) ? random_below(maker->random, message->field_count) : 0;
    for (uint32_t i = 0; i < message->field_count; i++) {
        if (!put_field(maker, &message->fields[(first + i) % message->field_count])) {
            return false;
        }
    }
    return !maker->shape->unknown || !one_in(maker, 2) || put_unknown(maker);
}

struct bytes random_message(struct random *random, const struct schema_message *message, const struct random_shape *shape,
                            struct arena *arena)
{
    struct maker maker = {.random = random, .shape = shape, .elements = shape->elements};
    if (!walk_output_start(&maker.output, arena, 1024) || !put_message(&maker, message)) {
        return (struct bytes){0};
    }
    return walk_output_finish(&maker.output);
}

/* ---- damage ---- */

struct damaged {
    uint8_t *data;
    size_t len;
};

static void damage_once(struct random *random, struct damaged *damaged)
{
    size_t at = damaged->len > 0 ? random_below(random, (uint32_t)damaged->len) : 0;
    size_t rest = damaged->len - at;
    size_t run = rest > 0 ? 1 + random_below(random, (uint32_t)(rest < 8 ? rest : 8)) : 0;
    switch (random_below(random, 5)) {
    case 0:
        damaged->len = at;
        break;
    case 1: /* out */
        memmove(damaged->data + at, damaged->data + at + run, rest - run);
        damaged->len -= run;
        break;
    case 2: /* in */
        memmove(damaged->data + at + 1, damaged->data + at, rest);
        damaged->data[at] = (uint8_t)random_next(random);
        damaged->len++;
        break;
    case 3: /* twice */
        memmove(damaged->data + at + run, damaged->data + at, rest);
        damaged->len += run;
        break;
    default:
        if (rest > 0) {
            damaged->data[at] ^= (uint8_t)(1U << random_below(random, 8));
        }
    }
}

struct bytes random_damage(struct random *random, struct bytes bytes, struct arena *arena)
{
    enum { MOST_MISTAKES = 4, MOST_GROWTH = 8 };
    struct damaged damaged = {.data = arena_alloc(arena, bytes.len + (size_t)MOST_MISTAKES * MOST_GROWTH), .len = bytes.len};
    if (!damaged.data) {
        return (struct bytes){0};
    }
    if (bytes.len > 0) {
        memcpy(damaged.data, bytes.data, bytes.len);
    }
    for (uint32_t left = 1 + random_below(random, MOST_MISTAKES); left > 0; left--) {
        damage_once(random, &damaged);
    }
    return bytes_of(damaged.data, damaged.len);
}
