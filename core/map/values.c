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
#define LEAST_EVENT_INTERVAL 100
#define MOST_EVENT_INTERVAL 300000

#define wrong(error, ...) error_set(error, STATUS_INVALID_ARGUMENT, __VA_ARGS__)

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

bool value_api(const char *text, struct arena *memory, void *value, struct error *error)
{
    (void)memory;
    struct value_api *api = value;
    api->set = strcmp(text, "auto") != 0;
    if (!api->set || dialect_from_name(text, &api->dialect)) {
        return true;
    }
    char known[128] = "";
    size_t used = 0;
    for (size_t i = 0; i < DIALECT_COUNT; i++) {
        int length = snprintf(known + used, sizeof known - used, ", %s", dialects[i].name);
        used += (size_t)length < sizeof known - used ? (size_t)length : 0;
    }
    return wrong(error, "\"%.80s\" is not a dialect of CRI; write one of auto%s", text, known);
}

bool value_mode(const char *text, struct arena *memory, void *value, struct error *error)
{
    (void)memory;
    size_t len = strlen(text);
    if (len < 3 || strspn(text, "01234567") != len) {
        return wrong(error, "\"%.80s\" is not a mode; write it in octal, such as \"0660\"", text);
    }
    const char *significant = text + strspn(text, "0");
    if (strlen(significant) > 3) {
        return wrong(error, "\"%.80s\" is more than 0777; a socket has no other bits", text);
    }
    *(mode_t *)value = (mode_t)strtoul(text, NULL, 8);
    return true;
}

bool value_callers(const char *text, struct arena *memory, void *value, struct error *error)
{
    (void)memory;
    struct value_callers *callers = value;
    const char *rest = text;
    uint64_t minor = 0;
    bool release = strncmp(text, "1.", 2) == 0;
    if (release) {
        rest += 2;
        release = take_number(&rest, &minor) && *rest == '\0' && minor >= 9;
    }
    if (!release) {
        return wrong(error,
                     "\"%.80s\" is not a Kubernetes release (1.9 or later); write major and minor in quotes, such as \"1.10\"",
                     text);
    }
    *callers = (struct value_callers){.release = text, .lack_masked_paths = minor == 10 || minor == 11};
    return true;
}

bool value_boolean(const char *text, struct arena *memory, void *value, struct error *error)
{
    static const struct {
        const char *word;
        bool meaning;
    } words[] = {{"true", true}, {"false", false}, {"yes", true}, {"no", false}, {"on", true}, {"off", false}};
    (void)memory;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcasecmp(text, words[i].word) == 0) {
            *(bool *)value = words[i].meaning;
            return true;
        }
    }
    return wrong(error, "\"%.80s\" is neither true nor false; write one of them", text);
}

/* The index of a word among others, of which some may be NULL; `count` when it is none of them. */
static size_t find_word(const char *text, const char *const *words, size_t count)
{
    size_t i = 0;
    while (i < count && (!words[i] || strcmp(text, words[i]) != 0)) {
        i++;
    }
    return i;
}

bool value_ids(const char *text, struct arena *memory, void *value, struct error *error)
{
    (void)memory;
    bool plain = strcmp(text, "plain") == 0;
    if (!plain && strcmp(text, "prefixed") != 0) {
        return wrong(error, "\"%.80s\" is neither plain nor prefixed; write one of them", text);
    }
    *(bool *)value = plain;
    return true;
}

bool value_when_away(const char *text, struct arena *memory, void *value, struct error *error)
{
    (void)memory;
    size_t word = find_word(text, when_away_names, WHEN_AWAY_COUNT);
    if (word == WHEN_AWAY_COUNT) {
        return wrong(error, "\"%.80s\" is not a value of when_away; write one of last-known, fail, omit", text);
    }
    *(enum when_away *)value = (enum when_away)word;
    return true;
}

bool value_cgroup_driver(const char *text, struct arena *memory, void *value, struct error *error)
{
    (void)memory;
    size_t word = find_word(text, cgroup_driver_names, CGROUP_DRIVER_COUNT);
    if (word == CGROUP_DRIVER_COUNT) {
        return wrong(error, "\"%.80s\" is not a cgroup driver; write systemd or cgroupfs", text);
    }
    *(enum cgroup_driver *)value = (enum cgroup_driver)word;
    return true;
}

bool value_compose(const char *text, struct arena *memory, void *value, struct error *error)
{
    (void)memory;
    size_t word = find_word(text, compose_names, COMPOSE_COUNT);
    if (word == COMPOSE_COUNT) {
        return wrong(error, "\"%.80s\" is not a value of compose; write one of with-others, always, never", text);
    }
    *(enum compose *)value = (enum compose)word;
    return true;
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

static bool take_size(const char *text, uint64_t least, uint64_t most, const char *bounds, void *value, struct error *error)
{
    static const struct unit units[] = {{"", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}};
    uint64_t size;
    if (!take_quantity(text, units, sizeof units / sizeof units[0], &size)) {
        return wrong(error, "\"%.80s\" is not a size; write bytes, or a number with KiB, MiB or GiB, such as 64MiB", text);
    }
    if (size < least || size > most) {
        return wrong(error, "\"%.80s\" is out of bounds; write a size from %s", text, bounds);
    }
    *(size_t *)value = (size_t)size;
    return true;
}

bool value_message_size(const char *text, struct arena *memory, void *value, struct error *error)
{
    (void)memory;
    return take_size(text, LEAST_MESSAGE_SIZE, MOST_MESSAGE_SIZE, "64KiB to 1GiB", value, error);
}

bool value_memory(const char *text, struct arena *memory, void *value, struct error *error)
{
    (void)memory;
    return take_size(text, LEAST_MEMORY, MOST_MEMORY, "64MiB to 64GiB", value, error);
}

static bool take_count(const char *text, const char *what, unsigned least, unsigned most, void *value, struct error *error)
{
    uint64_t count;
    if (!take_quantity(text, &(struct unit){"", 1}, 1, &count) || count < least || count > most) {
        return wrong(error, "\"%.80s\" is not a number of %s; write a number from %u to %u", text, what, least, most);
    }
    *(unsigned *)value = (unsigned)count;
    return true;
}

bool value_connections(const char *text, struct arena *memory, void *value, struct error *error)
{
    (void)memory;
    return take_count(text, "connections", 1, MOST_CONNECTIONS, value, error);
}

bool value_calls(const char *text, struct arena *memory, void *value, struct error *error)
{
    (void)memory;
    return take_count(text, "calls", 1, MOST_CALLS, value, error);
}

bool value_list_items(const char *text, struct arena *memory, void *value, struct error *error)
{
    (void)memory;
    return take_count(text, "items", LEAST_LIST_ITEMS, MOST_LIST_ITEMS, value, error);
}

bool value_duration(const char *text, struct arena *memory, void *value, struct error *error)
{
    static const struct unit units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}};
    (void)memory;
    uint64_t milliseconds;
    if (!take_quantity(text, units, sizeof units / sizeof units[0], &milliseconds)) {
        return wrong(error, "\"%.80s\" is not a duration; write a whole number with ms, s, m or h, such as 5s", text);
    }
    if (milliseconds > MOST_MILLISECONDS) {
        return wrong(error, "\"%.80s\" is too long; at most 1h", text);
    }
    *(unsigned *)value = (unsigned)milliseconds;
    return true;
}

static bool take_duration(const char *text, unsigned least, unsigned most, const char *bounds, void *value, struct error *error)
{
    unsigned milliseconds = 0;
    if (!value_duration(text, NULL, &milliseconds, error)) {
        return false;
    }
    if (milliseconds < least || milliseconds > most) {
        return wrong(error, "\"%.80s\" is out of bounds; write a time from %s", text, bounds);
    }
    *(unsigned *)value = milliseconds;
    return true;
}

bool value_idle(const char *text, struct arena *memory, void *value, struct error *error)
{
    (void)memory;
    return take_duration(text, LEAST_IDLE, MOST_MILLISECONDS, "1s to 1h", value, error);
}

bool value_event_interval(const char *text, struct arena *memory, void *value, struct error *error)
{
    (void)memory;
    return take_duration(text, LEAST_EVENT_INTERVAL, MOST_EVENT_INTERVAL, "100ms to 5m", value, error);
}

bool value_budget(const char *text, struct arena *memory, void *value, struct error *error)
{
    (void)memory;
    return take_duration(text, LEAST_BUDGET, MOST_BUDGET, "100ms to 100s, as the kubelet itself waits two minutes", value, error);
}
