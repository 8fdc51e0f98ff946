#include "core/map/values.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/un.h>

#include "base/system/unix_socket.h"
#include "core/map/names.h"

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

bool value_access(const struct yaml_scalar *in)
{
    bool read_only = strcmp(in->text, "read-only") == 0;
    if (!read_only && strcmp(in->text, "full") != 0) {
        return yaml_wrong(in, "\"%.80s\" is neither full nor read-only; write one of them", in->text);
    }
    *(bool *)in->value = read_only;
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

bool value_pulls(const struct yaml_scalar *in)
{
    return take_count(in, "pulls", 1, MOST_CALLS);
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
        const char *allowed = most < MOST_MILLISECONDS ? "ms, s or m" : "ms, s, m or h";
        return yaml_wrong(in, "\"%.80s\" is not a duration; write a whole number with %s, such as 5s", in->text, allowed);
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

/* ---- where metrics are served ---- */

static bool take_unix(const struct yaml_scalar *in, struct value_metrics_address *value)
{
    const char *text = NULL;
    struct yaml_scalar socket = *in;
    socket.value = &text;
    if (!value_socket(&socket)) {
        return false;
    }
    struct sockaddr_un address;
    unix_socket_address(unix_socket_path(text), &address);
    *value = (struct value_metrics_address){.text = text, .length = sizeof address};
    memcpy(&value->address, &address, sizeof address);
    return true;
}

/* Numbers only: looking up a name could wait for a server. */
static bool take_tcp(const char *text, struct value_metrics_address *value)
{
    char host[INET6_ADDRSTRLEN];
    bool bracketed = *text == '[';
    const char *end = bracketed ? strchr(text, ']') : strchr(text, ':');
    const char *begin = text + bracketed;
    const char *port = end ? end + bracketed : NULL;
    uint64_t number;
    if (!port || *port++ != ':' || (size_t)(end - begin) >= sizeof host || !take_number(&port, &number) || *port != '\0' ||
        number == 0 || number > UINT16_MAX) {
        return false;
    }
    snprintf(host, sizeof host, "%.*s", (int)(end - begin), begin);
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons((uint16_t)number)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)number)};
    *value = (struct value_metrics_address){.text = text};
    if (bracketed && inet_pton(AF_INET6, host, &v6.sin6_addr) == 1) {
        value->length = sizeof v6;
        value->beyond_node = !IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr);
        memcpy(&value->address, &v6, sizeof v6);
    } else if (!bracketed && inet_pton(AF_INET, host, &v4.sin_addr) == 1) {
        value->length = sizeof v4;
        value->beyond_node = ntohl(v4.sin_addr.s_addr) >> 24 != IN_LOOPBACKNET;
        memcpy(&value->address, &v4, sizeof v4);
    }
    return value->length > 0;
}

bool value_metrics_address(const struct yaml_scalar *in)
{
    struct value_metrics_address *value = in->value;
    if (strcmp(in->text, "off") == 0) {
        *value = (struct value_metrics_address){0};
        return true;
    }
    if (strncmp(in->text, "unix:", strlen("unix:")) == 0 || *in->text == '/') {
        return take_unix(in, value);
    }
    return take_tcp(in->text, value) ||
           yaml_wrong(
               in,
               "\"%.80s\" is not an address for metrics; write numbers, such as 127.0.0.1:9464 or \"[::1]:9464\", a socket "
               "unix:///run/crigate/metrics.sock, or off",
               in->text);
}

/* ---- handlers of a runtime ---- */

#define MOST_HANDLERS 256

static void read_handler_list(struct yaml_reader *reader, yaml_node_t *node, const char *what, struct parsed_handlers *handlers)
{
    for (yaml_node_item_t *item = node->data.sequence.items.start; item < node->data.sequence.items.top; item++) {
        yaml_node_t *name = yaml_document_get_node(&reader->document, *item);
        struct runtime_handler *handler = &handlers->items[handlers->count];
        if (yaml_read_scalar(reader, name, what, value_handler, &handler->name)) {
            handler->local_name = handler->name;
            handlers->places[handlers->count++] = yaml_place(reader, name);
        }
    }
}

static void read_handler_mapping(struct yaml_reader *reader, yaml_node_t *node, const char *what,
                                 struct parsed_handlers *handlers)
{
    for (yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
        yaml_node_t *name = yaml_document_get_node(&reader->document, pair->key);
        yaml_node_t *local_name = yaml_document_get_node(&reader->document, pair->value);
        struct runtime_handler *handler = &handlers->items[handlers->count];
        bool good = yaml_read_scalar(reader, name, what, value_handler, &handler->name);
        good = yaml_read_scalar(reader, local_name, what, value_local_handler, &handler->local_name) && good;
        if (good) {
            handlers->places[handlers->count++] = yaml_place(reader, name);
        }
    }
}

void value_handlers(struct yaml_reader *reader, yaml_node_t *node, const char *what, void *value)
{
    struct parsed_handlers *handlers = value;
    bool list = node->type == YAML_SEQUENCE_NODE;
    if (!list && node->type != YAML_MAPPING_NODE) {
        yaml_wrong_kind(reader, node, what, "a list [NAME, ...] or a mapping {NAME: RUNTIME'S NAME, ...}");
        return;
    }
    size_t count = list ? (size_t)(node->data.sequence.items.top - node->data.sequence.items.start)
                        : (size_t)(node->data.mapping.pairs.top - node->data.mapping.pairs.start);
    if (count > MOST_HANDLERS) {
        problems_add(reader->problems, yaml_place(reader, node), "%s: %zu handlers; at most %d for one runtime", what, count,
                     MOST_HANDLERS);
        return;
    }
    handlers->count = 0;
    handlers->items = arena_zalloc(reader->memory, count * sizeof *handlers->items);
    handlers->places = arena_zalloc(reader->memory, count * sizeof *handlers->places);
    if (!handlers->items || !handlers->places) {
        problems_add(reader->problems, yaml_place(reader, node), "%s: out of memory", what);
    } else if (list) {
        read_handler_list(reader, node, what, handlers);
    } else {
        read_handler_mapping(reader, node, what, handlers);
    }
}
