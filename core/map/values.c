#include "core/map/values.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LEAST_MESSAGE_SIZE (UINT64_C(64) << 10)
#define MOST_MESSAGE_SIZE (UINT64_C(1) << 30)
#define LEAST_MEMORY (UINT64_C(64) << 20)
#define MOST_MEMORY (UINT64_C(64) << 30)
#define MOST_CONNECTIONS 16384
#define LEAST_IDLE 1000
#define MOST_CALLS 1000000
#define LEAST_LIST_ITEMS 1000
#define MOST_LIST_ITEMS 10000000
#define MOST_MILLISECONDS 3600000
#define LEAST_BUDGET 100
#define MOST_BUDGET 100000
#define LEAST_HOOK_TIMEOUT 10
#define MOST_HOOK_TIMEOUT 60000
#define LEAST_EVENT_INTERVAL 100
#define MOST_EVENT_INTERVAL 300000

/* A run of digits at the start of the text. false when there is none or it is beyond all that is allowed anywhere. */
static bool take_number(const char **text, uint64_t *number)
{
    size_t len = strspn(*text, "0123456789");
    if (len == 0 || len > 15) {
        return false;
    }
    *number = strtoull(*text, NULL, 10);
    *text += len;
    return true;
}

bool value_api(const struct yaml_scalar *in)
{
    struct value_api *api = in->value;
    api->set = strcmp(in->text, "auto") != 0;
    if (!api->set || dialect_from_name(bytes_of_string(in->text), &api->dialect)) {
        return true;
    }
    char known[128] = "";
    size_t used = 0;
    for (size_t i = 0; i < DIALECT_COUNT; i++) {
        int length = snprintf(known + used, sizeof known - used, ", %s", dialects[i].name);
        used += (size_t)length < sizeof known - used ? (size_t)length : 0;
    }
    return yaml_wrong(in, "\"%.80s\" is not a dialect of CRI; write one of auto%s", in->text, known);
}

bool value_mode(const struct yaml_scalar *in)
{
    size_t len = strlen(in->text);
    if (len < 3 || strspn(in->text, "01234567") != len) {
        return yaml_wrong(in, "\"%.80s\" is not a mode; write it in octal, such as \"0660\"", in->text);
    }
    const char *significant = in->text + strspn(in->text, "0");
    if (strlen(significant) > 3) {
        return yaml_wrong(in, "\"%.80s\" is more than 0777; a socket has no other bits", in->text);
    }
    *(mode_t *)in->value = (mode_t)strtoul(in->text, NULL, 8);
    return true;
}

bool value_callers(const struct yaml_scalar *in)
{
    struct value_callers *callers = in->value;
    const char *rest = in->text;
    uint64_t minor = 0;
    bool release = strncmp(in->text, "1.", 2) == 0;
    if (release) {
        rest += 2;
        release = take_number(&rest, &minor) && *rest == '\0' && minor >= 9;
    }
    if (!release) {
        return yaml_wrong(
            in, "\"%.80s\" is not a Kubernetes release (1.9 or later); write major and minor in quotes, such as \"1.10\"",
            in->text);
    }
    *callers = (struct value_callers){.release = in->text, .lack_masked_paths = minor == 10 || minor == 11};
    return true;
}

bool value_boolean(const struct yaml_scalar *in)
{
    static const struct {
        const char *word;
        bool meaning;
    } words[] = {{"true", true}, {"false", false}, {"yes", true}, {"no", false}, {"on", true}, {"off", false}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcasecmp(in->text, words[i].word) == 0) {
            *(bool *)in->value = words[i].meaning;
            return true;
        }
    }
    return yaml_wrong(in, "\"%.80s\" is neither true nor false; write one of them", in->text);
}

bool value_ids(const struct yaml_scalar *in)
{
    bool plain = strcmp(in->text, "plain") == 0;
    if (!plain && strcmp(in->text, "prefixed") != 0) {
        return yaml_wrong(in, "\"%.80s\" is neither plain nor prefixed; write one of them", in->text);
    }
    *(bool *)in->value = plain;
    return true;
}

/* Finds the word among others, of which some may be NULL: its index is the value of an enumeration. */
static bool take_word(const struct yaml_scalar *in, const char *const *words, size_t count, const char *mistake)
{
    for (unsigned i = 0; i < count; i++) {
        if (words[i] && strcmp(in->text, words[i]) == 0) {
            *(unsigned *)in->value = i;
            return true;
        }
    }
    return yaml_wrong(in, "\"%.80s\" is not a %s", in->text, mistake);
}

bool value_when_away(const struct yaml_scalar *in)
{
    return take_word(in, when_away_names, WHEN_AWAY_COUNT, "value of when_away; write one of last-known, fail, omit");
}

bool value_cgroup_driver(const struct yaml_scalar *in)
{
    return take_word(in, cgroup_driver_names, CGROUP_DRIVER_COUNT, "cgroup driver; write systemd or cgroupfs");
}

bool value_compose(const struct yaml_scalar *in)
{
    return take_word(in, compose_names, COMPOSE_COUNT, "value of compose; write one of with-others, always, never");
}

/* A number and its unit. */
struct unit {
    const char *name;
    uint64_t worth;
};

/* `number` is at most UINT64_MAX. */
static bool take_quantity(const char *text, const struct unit *units, size_t count, uint64_t *number)
{
    if (!take_number(&text, number)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (strcmp(text, units[i].name) == 0) {
            *number = *number > UINT64_MAX / units[i].worth ? UINT64_MAX : *number * units[i].worth;
            return true;
        }
    }
    return false;
}

static bool take_size(const struct yaml_scalar *in, uint64_t least, uint64_t most, const char *bounds)
{
    static const struct unit units[] = {{"", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}};
    uint64_t size;
    if (!take_quantity(in->text, units, sizeof units / sizeof units[0], &size)) {
        return yaml_wrong(in, "\"%.80s\" is not a size; write bytes, or a number with KiB, MiB or GiB, such as 64MiB", in->text);
    }
    if (size < least || size > most) {
        return yaml_wrong(in, "\"%.80s\" is out of bounds; write a size from %s", in->text, bounds);
    }
    *(size_t *)in->value = (size_t)size;
    return true;
}

bool value_message_size(const struct yaml_scalar *in)
{
    return take_size(in, LEAST_MESSAGE_SIZE, MOST_MESSAGE_SIZE, "64KiB to 1GiB");
}

bool value_memory(const struct yaml_scalar *in)
{
    return take_size(in, LEAST_MEMORY, MOST_MEMORY, "64MiB to 64GiB");
}

static bool take_count(const struct yaml_scalar *in, const char *what, unsigned least, unsigned most)
{
    uint64_t count;
    if (!take_quantity(in->text, &(struct unit){"", 1}, 1, &count) || count < least || count > most) {
        return yaml_wrong(in, "\"%.80s\" is not a number of %s; write a number from %u to %u", in->text, what, least, most);
    }
    *(unsigned *)in->value = (unsigned)count;
    return true;
}

bool value_connections(const struct yaml_scalar *in)
{
    return take_count(in, "connections", 1, MOST_CONNECTIONS);
}

bool value_calls(const struct yaml_scalar *in)
{
    return take_count(in, "calls", 1, MOST_CALLS);
}

bool value_list_items(const struct yaml_scalar *in)
{
    return take_count(in, "items", LEAST_LIST_ITEMS, MOST_LIST_ITEMS);
}

static bool take_duration(const struct yaml_scalar *in, unsigned least, unsigned most, const char *bounds)
{
    static const struct unit units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}};
    uint64_t milliseconds;
    if (!take_quantity(in->text, units, sizeof units / sizeof units[0], &milliseconds)) {
        return yaml_wrong(in, "\"%.80s\" is not a duration; write a whole number with ms, s, m or h, such as 5s", in->text);
    }
    if (milliseconds > MOST_MILLISECONDS) {
        return yaml_wrong(in, "\"%.80s\" is too long; at most 1h", in->text);
    }
    if (milliseconds < least || milliseconds > most) {
        return yaml_wrong(in, "\"%.80s\" is out of bounds; write a time from %s", in->text, bounds);
    }
    *(unsigned *)in->value = (unsigned)milliseconds;
    return true;
}

bool value_duration(const struct yaml_scalar *in)
{
    return take_duration(in, 0, MOST_MILLISECONDS, "0s to 1h");
}

bool value_idle(const struct yaml_scalar *in)
{
    return take_duration(in, LEAST_IDLE, MOST_MILLISECONDS, "1s to 1h");
}

bool value_event_interval(const struct yaml_scalar *in)
{
    return take_duration(in, LEAST_EVENT_INTERVAL, MOST_EVENT_INTERVAL, "100ms to 5m");
}

bool value_budget(const struct yaml_scalar *in)
{
    return take_duration(in, LEAST_BUDGET, MOST_BUDGET, "100ms to 100s, as the kubelet itself waits two minutes");
}

bool value_hook_timeout(const struct yaml_scalar *in)
{
    return take_duration(in, LEAST_HOOK_TIMEOUT, MOST_HOOK_TIMEOUT, "10ms to 1m");
}
