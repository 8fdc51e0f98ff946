/* `crigate explain` of any bytes as a request between any two dialects, or to a runtime that is known to ignore some of it: what
   it says is what the gateway does. Input as that of convert_fuzz: a method's path, a line end, a byte of flags of which bits 2
   and 3 are the runtime's dialect and bits 4 to 6 one of the runtimes below, the message. */
#include "cli/explain/request.h"
#include "tests/fuzz/fuzz.h"
#include "translate/convert/convert.h"
#include "translate/json/json.h"

/* As they answer Version; what they ignore is known of some of their dialects. */
static const struct {
    const char *name, *version;
} known[8] = {
    [1] = {"containerd", "1.6.39"}, [2] = {"containerd", "1.4.13"}, [3] = {"cri-o", "1.24.6"},
    [4] = {"cri-o", "1.10.0"},      [5] = {"docker", "24.0.7"},
};

struct input {
    const struct method *method;
    struct peer caller, runtime;
    struct bytes message;
};

static bool read_input(struct bytes bytes, struct input *input)
{
    *input = (struct input){0};
    if (!fuzz_take_call(&bytes, &input->method, &input->caller.dialect) || bytes.len == 0) {
        return false;
    }
    input->runtime.dialect = (enum dialect)(bytes.data[0] >> 2 & 3);
    unsigned runtime = bytes.data[0] >> 4 & 7;
    if (known[runtime].name) {
        ability_set_make(&input->runtime.abilities, known[runtime].name, known[runtime].version, input->runtime.dialect);
    }
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
    bool loss = conversion->report.dropped > 0 || conversion->report.unknown_fields > 0 || conversion->report.ignored > 0;
    must(explained->status == (loss ? EXPLAIN_LOSS : EXPLAIN_WHOLE));
    struct json_object *expected =
        json_from_message(input->method->in[input->runtime.dialect].request, translated, JSON_EXACT, NULL);
    must(expected && json_object_equal(expected, explained->translated));
    json_object_put(expected);
}

static void try_input(const struct input *input, struct arena *arena)
{
    struct request_explained explained;
    struct error error = {0};
    if (!explain_request(input->method, &input->caller, &input->runtime, input->message, arena, &explained, &error)) {
        must(error.message[0] != '\0');
        json_object_put(explained.translated);
        return;
    }
    struct conversion conversion = {.method = input->method,
                                    .from = input->caller.dialect,
                                    .to = input->runtime.dialect,
                                    .abilities = &input->runtime.abilities,
                                    .arena = arena};
    struct bytes translated;
    if (!input->method->in[input->runtime.dialect].path) {
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

void fuzz_try(struct bytes bytes, struct arena *arena)
{
    struct input input;
    if (read_input(bytes, &input)) {
        try_input(&input, arena);
    }
}
