/* What must arrive untouched: what both sides say alike, and what only the two sides know. */
#include <stdlib.h>

#include "projection.h"
#include "tests/cmocka.h"
#include "translate/json/json.h"
#include "trial.h"
#include "unknown.h"

/* ---- unknown fields ---- */

static size_t unknown_seen;

static int by_text(const void *left, const void *right)
{
    return strcmp(json_object_get_string(*(struct json_object *const *)left),
                  json_object_get_string(*(struct json_object *const *)right));
}

static struct json_object *unknown_of(const struct trial *trial, struct bytes message)
{
    struct json_object *list = json_object_new_array();
    if (!unknown_collect(message, trial_schema(trial, trial->from), list)) {
        trial_fail(trial, "its fields cannot be read");
    }
    json_object_array_sort(list, by_text);
    return list;
}

static void check_unknown(struct trial *trial)
{
    if (trial->from != trial->to) {
        return;
    }
    trial->shape.unknown = true;
    trial->names = random_below(&trial->random, 2) ? &trial_marking_names : NULL;
    struct bytes in = trial_message(trial);
    struct bytes out;
    if (!trial_convert(trial, trial->from, trial->to, in, &out)) {
        return;
    }
    struct json_object *before = unknown_of(trial, in);
    struct json_object *after = unknown_of(trial, out);
    unknown_seen += json_object_array_length(before);
    if (!json_object_equal(before, after)) {
        trial_fail(trial, "%s became %s", json_object_to_json_string(before), json_object_to_json_string(after));
    }
    json_object_put(after);
    json_object_put(before);
}

TEST(unknown_fields_survive_at_every_depth)
{
    trial_for_each(100, check_unknown);
    assert_true(unknown_seen > 10000);
}

/* ---- messages that two dialects have in common ---- */

/* What is written anew even within one dialect, as docs/translation.md says. */
static const char *const always_normalised[] = {"PodSandboxConfig",   "ContainerConfig", "UpdateContainerResourcesRequest",
                                                "VersionResponse",    "ExecResponse",    "AttachResponse",
                                                "PortForwardResponse"};

static bool is_normalised(const struct schema_message *message)
{
    for (size_t i = 0; i < sizeof always_normalised / sizeof always_normalised[0]; i++) {
        if (strcmp(message->name, always_normalised[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool same_enum(const struct schema_enum *left, const struct schema_enum *right)
{
    bool same = left->value_count == right->value_count;
    for (uint16_t i = 0; same && i < left->value_count; i++) {
        same = left->values[i].number == right->values[i].number;
    }
    return same;
}

/* Whether all that a message may hold is the same on the wire in both dialects. No message of CRI holds itself. */
static bool same_on_the_wire(const struct schema_message *left, const struct schema_message *right)
{
    bool same = left->field_count == right->field_count && !is_normalised(left);
    for (uint16_t i = 0; same && i < left->field_count; i++) {
        const struct schema_field *one = &left->fields[i];
        const struct schema_field *other = &right->fields[i];
        same = one->number == other->number && one->type == other->type && one->repeated == other->repeated &&
               strcmp(one->name, other->name) == 0;
        if (same && one->message) {
            same = same_on_the_wire(one->message, other->message);
        } else if (same && one->enumeration) {
            same = same_enum(one->enumeration, other->enumeration);
        }
    }
    return same;
}

static unsigned identical[2][DIALECT_COUNT][DIALECT_COUNT];

static void check_common(struct trial *trial)
{
    if (!same_on_the_wire(trial_schema(trial, trial->from), trial_schema(trial, trial->to))) {
        return;
    }
    trial->shape.unknown = trial->from == trial->to && trial->shape.unknown;
    struct bytes in = trial_message(trial);
    struct bytes out;
    if (!trial_convert(trial, trial->from, trial->to, in, &out)) {
        trial_fail(trial, "refused: %s", trial->error.message);
    }
    if (!bytes_equal(in, out)) {
        trial_fail(trial, "the bytes changed");
    }
    identical[trial->request][trial->from][trial->to] += in.len > 0;
}

TEST(what_is_the_same_on_the_wire_stays_byte_for_byte)
{
    trial_for_each(250, check_common);
    for (int pair = 0; pair < DIALECT_COUNT * DIALECT_COUNT; pair++) {
        for (int request = 0; request < 2; request++) {
            assert_true(identical[request][pair / DIALECT_COUNT][pair % DIALECT_COUNT] >= 200);
        }
    }
}

/* ---- configurations within a dialect ---- */

/* A profile is written as a string and as a message, whichever came. */
static const char *const filled_in[] = {"seccomp", "seccompProfilePath", "apparmor", "apparmorProfile"};

static void without_profiles(struct json_object *json)
{
    for (size_t i = 0; json_object_is_type(json, json_type_array) && i < json_object_array_length(json); i++) {
        without_profiles(json_object_array_get_idx(json, i));
    }
    if (!json_object_is_type(json, json_type_object)) {
        return;
    }
    for (size_t i = 0; i < sizeof filled_in / sizeof filled_in[0]; i++) {
        json_object_object_del(json, filled_in[i]);
    }
    struct json_object_iterator end = json_object_iter_end(json);
    for (struct json_object_iterator at = json_object_iter_begin(json); !json_object_iter_equal(&at, &end);
         json_object_iter_next(&at)) {
        without_profiles(json_object_iter_peek_value(&at));
    }
}

static unsigned kept;

static void check_within(struct trial *trial)
{
    if (!trial->request || trial->from != trial->to) {
        return;
    }
    struct bytes in = trial_message(trial);
    struct bytes out;
    if (!trial_convert(trial, trial->from, trial->to, in, &out)) {
        return;
    }
    struct json_object *before = trial_decode(trial, trial->from, in);
    struct json_object *after = trial_decode(trial, trial->from, out);
    without_profiles(before);
    without_profiles(after);
    kept += json_object_object_length(before) > 0;
    if (!json_object_equal(before, after)) {
        trial_fail(trial, "%s became %s", json_object_to_json_string(before), json_object_to_json_string(after));
    }
    json_object_put(after);
    json_object_put(before);
}

TEST(within_a_dialect_nothing_is_added_but_profiles)
{
    trial_for_each(300, check_within);
    assert_true(kept > 5000);
}

/* ---- up and down ---- */

static unsigned returned;

/* A newer runtime is asked all that an older caller can say, and asked back it is the same. A request that a runtime of the
   caller's own dialect may not get either (values of enums that have no name) is none that it can say. */
static void check_return(struct trial *trial)
{
    if (!trial->request || trial->from > trial->to) {
        return;
    }
    struct bytes in = trial_message(trial);
    struct bytes up, down;
    if (!trial_convert(trial, trial->from, trial->from, in, &up)) {
        return;
    }
    if (!trial_convert(trial, trial->from, trial->to, in, &up)) {
        trial_fail(trial, "refused on the way up: %s", trial->error.message);
    }
    if (!trial_convert(trial, trial->to, trial->from, up, &down)) {
        trial_fail(trial, "refused on the way down: %s", trial->error.message);
    }
    const struct schema_message *schema = trial_schema(trial, trial->from);
    struct json_object *before = trial_decode(trial, trial->from, in);
    struct json_object *after = trial_decode(trial, trial->from, down);
    projection_apply(before, schema, schema);
    projection_apply(after, schema, schema);
    returned += json_object_object_length(before) > 0;
    if (!json_object_equal(before, after)) {
        trial_fail(trial, "%s came back as %s", json_object_to_json_string(before), json_object_to_json_string(after));
    }
    json_object_put(after);
    json_object_put(before);
}

TEST(requests_go_up_and_come_back)
{
    trial_for_each(150, check_return);
    assert_true(returned > 10000);
}
