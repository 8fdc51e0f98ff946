/* `crigate explain` of any bytes as a request between any two dialects: what it says is what the gateway does. Input as that of
   convert_fuzz: a method's path, a line end, a byte of flags of which bits 2 and 3 are the runtime's dialect, the message. */
#include "core/explain/request.h"
#include "tests/fuzz/fuzz.h"
#include "translate/convert/convert.h"
#include "translate/json/json.h"

struct input {
    const struct method *method;
    enum dialect caller, runtime;
    struct bytes message;
};

static bool read_input(struct bytes bytes, struct input *input)
{
    if (!fuzz_take_call(&bytes, &input->method, &input->caller) || bytes.len == 0) {
        return false;
    }
    input->runtime = (enum dialect)(bytes.data[0] >> 2 & 3);
    input->message = bytes_after(bytes, 1);
    return true;
}

/* Each path and text is one that can be shown, and the request that a runtime would get is that of the gateway. */
static void check_told(const struct input *input, const struct request_explained *explained, const struct conversion *conversion,
                       struct bytes translated)
{
    struct json_object *told = json_object_new_object();
    must(told);
    explain_request_add(explained, told);
    must(json_object_to_json_string(told));
    json_object_put(told);
    bool loss = conversion->report.dropped > 0 || conversion->report.unknown_fields > 0;
    must(explained->status == (loss ? EXPLAIN_LOSS : EXPLAIN_WHOLE));
    struct json_object *expected = json_from_message(input->method->in[input->runtime].request, translated, JSON_EXACT, NULL);
    must(expected && json_object_equal(expected, explained->translated));
    json_object_put(expected);
}

static void try_input(const struct input *input, struct arena *arena)
{
    struct request_explained explained;
    struct error error = {0};
    if (!explain_request(input->method, input->caller, input->runtime, input->message, arena, &explained, &error)) {
        must(error.message[0] != '\0');
        json_object_put(explained.translated);
        return;
    }
    struct conversion conversion = {.method = input->method, .from = input->caller, .to = input->runtime, .arena = arena};
    struct bytes translated;
    if (!input->method->in[input->runtime].path) {
        bool refused = explained.findings[FINDING_REFUSED];
        must(!explained.translated && refused != (explained.findings[FINDING_CARRIED] != NULL));
        must(explained.status == (refused ? EXPLAIN_REFUSED : EXPLAIN_WHOLE));
    } else if (!convert_request(&conversion, input->message, &translated, &error)) {
        must(explained.status == EXPLAIN_REFUSED && explained.findings[FINDING_REFUSED] && !explained.translated);
    } else {
        check_told(input, &explained, &conversion, translated);
    }
    json_object_put(explained.translated);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input;
    if (!read_input(bytes_of(data, size), &input)) {
        return 0;
    }
    struct arena *arena = fuzz_arena();
    try_input(&input, arena);
    arena_unref(arena);
    return 0;
}
