#include "findings.h"

#include <stdarg.h>

#include "base/json/build.h"
#include "base/options/output.h"

#define TEXT_SIZE 1024

static const char *const states[CHECK_STATE_COUNT] = {"ok", "unknown", "warning", "wrong"};

const char *findings_text(struct findings *findings, const char *format, ...)
{
    char text[TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *copy = arena_string(findings->arena, bytes_of_string(text));
    return copy ? copy : "out of memory";
}

void findings_add(struct findings *findings, const char *name, enum check_state state, const char *detail, const char *next)
{
    if (findings->count < CHECKS_MOST) {
        findings->checks[findings->count++] = (struct check){name, state, detail, next};
    }
}

enum check_state findings_state(const struct findings *findings)
{
    enum check_state worst = CHECK_OK;
    for (size_t i = 0; i < findings->count; i++) {
        worst = findings->checks[i].state > worst ? findings->checks[i].state : worst;
    }
    return worst;
}

bool findings_are_good(const struct findings *findings)
{
    return findings_state(findings) <= CHECK_UNKNOWN;
}

void findings_print(const struct findings *findings, FILE *out)
{
    for (size_t i = 0; i < findings->count; i++) {
        const struct check *check = &findings->checks[i];
        fprintf(out, "%-7s  ", states[check->state]);
        command_print_text(check->name, out);
        fputs(": ", out);
        command_print_text(check->detail, out);
        if (check->next) {
            fputs("; next: ", out);
            command_print_text(check->next, out);
        }
        putc('\n', out);
    }
}

struct json_object *findings_json(const struct findings *findings)
{
    struct json_object *object = json_object_new_object(), *checks = json_object_new_array();
    for (size_t i = 0; i < findings->count; i++) {
        const struct check *check = &findings->checks[i];
        struct json_object *item = json_object_new_object();
        json_add(item, "name", json_object_new_string(check->name));
        json_add(item, "state", json_object_new_string(states[check->state]));
        json_add(item, "detail", json_object_new_string(check->detail));
        json_add_text(item, "next", check->next);
        json_append(checks, item);
    }
    json_add(object, "ok", json_object_new_boolean(findings_are_good(findings)));
    json_add(object, "checks", checks);
    return object;
}
