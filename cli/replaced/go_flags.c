#include "cli/replaced/go_flags.h"

#include <string.h>

#include "base/log/log.h"
#include "base/options/output.h"

/* An argument, taken apart. */
struct argument {
    const char *name;
    size_t len;
    const char *value; /* behind "="; NULL without one */
};

/* false: it is not an option. */
static bool take_apart(const char *text, struct argument *argument)
{
    if (text[0] != '-' || text[1] == '\0') {
        return false;
    }
    argument->name = text + (text[1] == '-' ? 2 : 1);
    argument->len = strcspn(argument->name, "=");
    argument->value = argument->name[argument->len] == '=' ? argument->name + argument->len + 1 : NULL;
    bool short_level = text[1] == 'v' && text[2] >= '0' && text[2] <= '9';
    if (short_level) {
        argument->len = 1;
        argument->value = text + 2;
    }
    return argument->len > 0;
}

/* Finds the option of that name, and the place of its value. NULL: there is none. */
static const struct go_flag *find(const struct go_flag_set *sets, size_t count, const struct argument *argument,
                                  const char ***value)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < sets[i].count; j++) {
            const char *name = sets[i].flags[j].name;
            if (strlen(name) == argument->len && memcmp(name, argument->name, argument->len) == 0) {
                *value = &sets[i].values[j];
                return &sets[i].flags[j];
            }
        }
    }
    return NULL;
}

/* "true" or "false"; NULL for anything that Go does not accept as either. */
static const char *switch_value(const char *text)
{
    static const char *const words[][2] = {
        {"1", "true"},  {"t", "true"},  {"T", "true"},  {"true", "true"},   {"TRUE", "true"},   {"True", "true"},
        {"0", "false"}, {"f", "false"}, {"F", "false"}, {"false", "false"}, {"FALSE", "false"}, {"False", "false"},
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(text, words[i][0]) == 0) {
            return words[i][1];
        }
    }
    return NULL;
}

/* Sets the value of an option, from the argument or from `next`, the one behind it, which is then counted in `used`. -1, or the
   exit status. */
static int take_value(const char *program, const struct go_flag *flag, const struct argument *argument, const char *next,
                      const char **value, int *used)
{
    const char *text = argument->value;
    if (flag->kind == GO_FLAG_SWITCH) {
        *value = switch_value(text ? text : "true");
        return *value ? -1 : command_usage_error(program, "-%s must be true or false: %s", flag->name, text);
    }
    if (!text) {
        text = next;
        (*used)++;
    }
    *value = text;
    return text ? -1 : command_usage_error(program, "-%s needs a value", flag->name);
}

int go_flags_read(const char *program, const struct go_flag_set *sets, size_t count, int argc, char **argv)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < sets[i].count; j++) {
            sets[i].values[j] = sets[i].flags[j].value;
        }
    }
    for (int i = 1; i < argc; i++) {
        struct argument argument;
        const char **value;
        if (!take_apart(argv[i], &argument)) {
            return command_usage_error(program, "unexpected argument: %s", argv[i]);
        }
        const struct go_flag *flag = find(sets, count, &argument, &value);
        if (!flag) {
            return command_usage_error(program, "unknown option: %s", argv[i]);
        }
        if (flag->use == GO_FLAG_GONE) {
            return command_usage_error(program, "-%s: %s", flag->name, flag->note);
        }
        int status = take_value(program, flag, &argument, argv[i + 1], value, &i);
        if (status >= 0) {
            return status;
        }
        if (flag->use == GO_FLAG_IGNORED) {
            log_line(LOG_SERIOUS, "-%s has no meaning for crigate, and is ignored", flag->name);
        }
    }
    return -1;
}
