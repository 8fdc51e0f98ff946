/* The JSON codec: what is read once must read back the same for ever, from bytes and from text. The first byte says which. */
#include "tests/fuzz/fuzz.h"
#include "tests/unit/translate/json/sample_schema.h"
#include "translate/json/json.h"

static struct bytes encode(struct arena *arena, struct json_object *json)
{
    struct bytes bytes;
    must(json_to_message(&sample_message, json, false, arena, &bytes, NULL));
    return bytes;
}

static void show_for_logs(struct bytes bytes)
{
    json_object_put(json_from_message(&sample_message, bytes, JSON_LOG, NULL));
    json_object_put(json_from_message(&sample_message, bytes, JSON_LOG_ENVS, NULL));
}

/* Takes `json` over. */
static void must_be_stable(struct arena *arena, struct json_object *json)
{
    struct bytes bytes = encode(arena, json);
    struct json_object *again = json_from_message(&sample_message, bytes, JSON_EXACT, NULL);
    must(again && bytes_equal(encode(arena, again), bytes));
    struct json_object *reread = json_from_text(bytes_of_string(json_object_to_json_string(again)), NULL);
    must(reread && bytes_equal(encode(arena, reread), bytes));
    json_object_put(reread);
    json_object_put(again);
    json_object_put(json);
}

static void try_bytes(struct arena *arena, struct bytes bytes)
{
    show_for_logs(bytes);
    struct json_object *json = json_from_message(&sample_message, bytes, JSON_EXACT, NULL);
    if (json) {
        must_be_stable(arena, json);
    }
}

static void try_text(struct arena *arena, struct bytes text)
{
    struct json_object *json = json_from_text(text, NULL);
    struct bytes bytes;
    if (json && json_to_message(&sample_message, json, true, arena, &bytes, NULL)) {
        must_be_stable(arena, json_from_message(&sample_message, bytes, JSON_EXACT, NULL));
    }
    json_object_put(json);
}

void fuzz_try(struct bytes bytes, struct arena *arena)
{
    if (bytes.len > 0) {
        (bytes.data[0] & 1 ? try_text : try_bytes)(arena, bytes_after(bytes, 1));
    }
}
