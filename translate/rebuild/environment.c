#include "translate/rebuild/environment.h"

#include "base/bytes/base64.h"
#include "translate/bytes/output.h"
#include "translate/json/scan.h"
#include "translate/schema/schema.h"

/* So many variables are compared with the process's, to find out in which form values are. */
#define COMPARED 8

#define BASE64_BLOCK 4

struct variable {
    struct bytes name;
    struct bytes value;
};

static bool put_variable(struct walk_output *output, const struct variable *variable)
{
    const struct schema_message *type = schema_message_by_name(DIALECT_MODEL, "KeyValue");
    size_t expected = variable->name.len + variable->value.len + 8;
    size_t opened = walk_output_open(
        output, schema_number_by_name(schema_message_by_name(DIALECT_MODEL, "ContainerConfig"), "envs"), expected);
    return opened != SIZE_MAX && walk_output_put_field(output, schema_number_by_name(type, "key"), variable->name) &&
           (variable->value.len == 0 || walk_output_put_field(output, schema_number_by_name(type, "value"), variable->value)) &&
           walk_output_close(output, opened, expected);
}

/* ---- the process ---- */

/* "NAME=VALUE". */
static bool read_assignment(struct bytes json, struct arena *arena, struct variable *variable)
{
    struct bytes text;
    if (!json_scan_string(json, arena, &text)) {
        return false;
    }
    const uint8_t *equals = text.len > 0 ? memchr(text.data, '=', text.len) : NULL;
    if (!equals || equals == text.data) {
        return false;
    }
    variable->name = bytes_of(text.data, (size_t)(equals - text.data));
    variable->value = bytes_after(text, variable->name.len + 1);
    return true;
}

static bool of_process(struct bytes assignments, struct arena *arena, struct bytes *environment)
{
    struct json_scan scan;
    struct walk_output output;
    struct bytes key, item;
    struct variable variable;
    if (!json_scan_open(assignments, false, &scan) || !walk_output_start(&output, arena, assignments.len)) {
        return false;
    }
    while (json_scan_next(&scan, &key, &item)) {
        if (read_assignment(item, arena, &variable) && !put_variable(&output, &variable)) {
            return false;
        }
    }
    *environment = scan.malformed ? (struct bytes){0} : walk_output_finish(&output);
    return !scan.malformed;
}

/* ---- the configuration ---- */

/* {"key": ..., "value": ...}, which lacks what is empty. */
static bool read_pair(struct bytes json, struct arena *arena, struct variable *variable)
{
    struct bytes values[2];
    *variable = (struct variable){0};
    return json_scan_pick(json, (const char *const[]){"key", "value"}, 2, values) &&
           json_scan_string(values[0], arena, &variable->name) &&
           (values[1].len == 0 || json_scan_string(values[1], arena, &variable->value));
}

/* As Go writes bytes: the standard alphabet, padded. */
static bool decode(struct bytes text, struct arena *arena, struct bytes *value)
{
    size_t size = 0;
    uint8_t *out = arena_alloc(arena, base64_decoded_bound(text.len) + 1);
    if (!out || text.len % BASE64_BLOCK != 0 || !base64_decode(text, out, &size)) {
        return false;
    }
    *value = bytes_of(out, size);
    return true;
}

enum form {
    FORM_UNKNOWN,
    FORM_TEXT,
    FORM_BASE64,
};

/* In which form the value of this variable is, if the process has it, too. */
static enum form form_in_process(const struct variable *variable, struct bytes decoded, struct bytes assignments,
                                 struct arena *arena)
{
    struct json_scan scan;
    struct bytes key, item;
    struct variable of_process;
    enum form form = FORM_UNKNOWN;
    if (!json_scan_open(assignments, false, &scan)) {
        return FORM_UNKNOWN;
    }
    while (json_scan_next(&scan, &key, &item)) {
        /* Most others differ in length, or in the first byte; decoding them would take memory. */
        if (item.len < variable->name.len + 3 || item.data[1] != variable->name.data[0] ||
            !read_assignment(item, arena, &of_process) || !bytes_equal(of_process.name, variable->name)) {
            continue;
        }
        if (bytes_equal(of_process.value, variable->value)) {
            return FORM_TEXT;
        }
        form = bytes_equal(of_process.value, decoded) ? FORM_BASE64 : form;
    }
    return form;
}

/* In which form values are: base64 if all could be, and one of them is in the process as decoded. */
static enum form form_of_values(struct bytes pairs, struct bytes assignments, struct arena *arena)
{
    struct json_scan scan;
    struct bytes key, item, decoded;
    struct variable variable;
    enum form form = FORM_UNKNOWN;
    unsigned compared = 0;
    json_scan_open(pairs, false, &scan);
    while (json_scan_next(&scan, &key, &item) && form == FORM_UNKNOWN && compared < COMPARED) {
        if (!read_pair(item, arena, &variable) || variable.name.len == 0 || variable.value.len == 0) {
            continue;
        }
        if (!decode(variable.value, arena, &decoded)) {
            return FORM_TEXT;
        }
        form = form_in_process(&variable, decoded, assignments, arena);
        compared++;
    }
    return form;
}

static bool of_config(struct bytes pairs, struct bytes assignments, struct arena *arena, struct bytes *environment)
{
    struct json_scan scan;
    struct walk_output output;
    struct bytes key, item;
    struct variable variable;
    if (!json_scan_open(pairs, false, &scan) || !walk_output_start(&output, arena, pairs.len)) {
        return false;
    }
    bool encoded = form_of_values(pairs, assignments, arena) == FORM_BASE64;
    while (json_scan_next(&scan, &key, &item)) {
        bool read = read_pair(item, arena, &variable) &&
                    (!encoded || variable.value.len == 0 || decode(variable.value, arena, &variable.value));
        if (read && !put_variable(&output, &variable)) {
            return false;
        }
    }
    *environment = scan.malformed ? (struct bytes){0} : walk_output_finish(&output);
    return !scan.malformed;
}

bool rebuild_environment(struct bytes config, struct bytes specification, struct arena *arena, struct bytes *environment)
{
    struct bytes pairs, process, assignments;
    *environment = (struct bytes){0};
    json_scan_pick(specification, (const char *const[]){"process"}, 1, &process);
    json_scan_pick(process, (const char *const[]){"env"}, 1, &assignments);
    if (!json_scan_pick(config, (const char *const[]){"envs"}, 1, &pairs)) {
        return of_process(assignments, arena, environment);
    }
    return pairs.len == 0 || of_config(pairs, assignments, arena, environment);
}
