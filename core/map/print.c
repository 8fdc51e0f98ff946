#include "core/map/print.h"

#include <string.h>
#include <sys/socket.h>

#include "translate/walk/text_table.h"

/* Prints a text as a YAML scalar: plain if every reader of YAML takes it for a text, else quoted. */
static void print_text(const char *text, FILE *out)
{
    static const char *const words[] = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"};
    bool plain = *text == '/' || (*text >= 'a' && *text <= 'z');
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        plain = plain && strcmp(text, words[i]) != 0;
    }
    for (const char *letter = text; plain && *letter; letter++) {
        bool colon = *letter == ':' && letter[1] == '/';
        plain = colon || (*letter >= 'a' && *letter <= 'z') || (*letter >= '0' && *letter <= '9') || strchr("-_./", *letter);
    }
    if (plain) {
        fputs(text, out);
        return;
    }
    putc('"', out);
    for (const char *letter = text; *letter; letter++) {
        if (*letter == '"' || *letter == '\\') {
            putc('\\', out);
        }
        putc(*letter, out);
    }
    putc('"', out);
}

/* "KEY: TEXT"; nothing for NULL. */
static void print_pair(const char *key, const char *text, FILE *out)
{
    if (text) {
        fprintf(out, "%s: ", key);
        print_text(text, out);
        putc('\n', out);
    }
}

static void print_handlers(const struct runtime_entry *runtime, FILE *out)
{
    fputs("    handlers: {", out);
    for (size_t i = 0; i < runtime->handler_count; i++) {
        fputs(i ? ", " : "", out);
        print_text(runtime->handlers[i].name, out);
        fputs(": ", out);
        print_text(runtime->handlers[i].local_name, out);
    }
    fputs("}\n", out);
}

static void print_duration(const char *key, unsigned milliseconds, FILE *out)
{
    bool seconds = milliseconds % 1000 == 0;
    fprintf(out, "%s: %u%s\n", key, seconds ? milliseconds / 1000 : milliseconds, seconds ? "s" : "ms");
}

static void print_boolean(const char *key, bool value, FILE *out)
{
    fprintf(out, "%s: %s\n", key, value ? "true" : "false");
}

static void print_ids(const char *key, const id_t *ids, size_t count, FILE *out)
{
    fprintf(out, "%s: [", key);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s%u", i ? ", " : "", (unsigned)ids[i]);
    }
    fputs("]\n", out);
}

/* "lenient: [FIELD, ...]"; nothing if there is no field. `first` (NULL: none) is in front of the fields. false: nothing was
   printed. */
static bool print_fields(const char *key, const char *first, const bool fields[TRANSLATION_RULE_COUNT], FILE *out)
{
    const char *before = "";
    if (first) {
        fprintf(out, "%s: [%s", key, first);
        before = ", ";
    }
    for (size_t i = 0; i < TRANSLATION_RULE_COUNT; i++) {
        if (fields[i]) {
            fprintf(out, "%s%s%s", before[0] ? "" : key, before[0] ? before : ": [", translation_rules[i].field);
            before = ", ";
        }
    }
    fputs(before[0] ? "]" : "", out);
    return before[0];
}

static bool has_any(const bool fields[TRANSLATION_RULE_COUNT])
{
    return memchr(fields, true, TRANSLATION_RULE_COUNT) != NULL;
}

static void print_translation(const struct leniency *leniency, FILE *out)
{
    bool any_strict = has_any(leniency->strict) || leniency->strict_unknown;
    bool some = !leniency->all && (has_any(leniency->rules) || any_strict);
    fputs("    translation: ", out);
    if (!some) {
        fputs(leniency->all ? "lenient\n" : "strict\n", out);
        return;
    }
    fputs("{", out);
    bool first = print_fields("lenient", NULL, leniency->rules, out);
    fputs(first && any_strict ? ", " : "", out);
    print_fields("strict", leniency->strict_unknown ? LENIENCY_UNKNOWN : NULL, leniency->strict, out);
    fputs("}\n", out);
}

static void print_runtime(const struct runtime_map *map, size_t index, FILE *out)
{
    const struct runtime_entry *runtime = &map->runtimes[index];
    print_pair("  - name", runtime->name, out);
    print_pair("    endpoint", runtime->endpoint, out);
    print_pair("    image_endpoint", runtime->image_endpoint, out);
    print_boolean("    primary", runtime->primary, out);
    print_boolean("    default", index == map->default_runtime, out);
    print_boolean("    new_pods", runtime->new_pods, out);
    print_pair("    ids", runtime->plain_ids ? "plain" : "prefixed", out);
    print_pair("    when_away", when_away_names[runtime->when_away], out);
    print_duration("    budget", runtime->budget, out);
    if (runtime->pulls > 0) {
        fprintf(out, "    pulls: %u\n", runtime->pulls);
    }
    print_pair("    api", runtime->api_set ? dialects[runtime->api].name : "auto", out);
    print_pair("    image_api", runtime->image_api_set ? dialects[runtime->image_api].name : "auto", out);
    print_handlers(runtime, out);
    print_pair("    image_prefix", runtime->image_prefix, out);
    print_pair("    stream_url", runtime->stream_url, out);
    print_translation(&runtime->translation, out);
    print_pair("    cgroup_driver", cgroup_driver_names[runtime->cgroup_driver], out);
    print_pair("    storage", runtime->storage, out);
    print_boolean("    hooks", runtime->hooks, out);
}

static void print_removed(const char *name, FILE *out)
{
    print_pair("  - name", name, out);
    print_boolean("    force", true, out);
}

/* A path may have any character, but must not end the comment. */
static void print_file(const char *path, FILE *out)
{
    fputs("# from ", out);
    for (const char *letter = path; *letter; letter++) {
        putc(*letter >= ' ' && *letter <= '~' ? *letter : '?', out);
    }
    putc('\n', out);
}

static void print_size(const char *key, size_t size, FILE *out)
{
    static const char *const units[] = {"", "KiB", "MiB", "GiB"};
    size_t unit = 0;
    while (unit + 1 < sizeof units / sizeof units[0] && size % 1024 == 0) {
        size /= 1024;
        unit++;
    }
    fprintf(out, "%s: %zu%s\n", key, size, units[unit]);
}

static void print_hooks(const struct runtime_map *map, FILE *out)
{
    if (!map->hooks.on) {
        print_boolean("hooks", false, out);
        return;
    }
    fputs("hooks:\n", out);
    print_pair("  folder", map->hooks.folder, out);
    print_duration("  timeout", map->hooks.timeout, out);
    fputs("  skip:\n", out);
    print_pair("    label", map->hooks.skip_label, out);
    print_pair("    value", map->hooks.skip_value, out);
}

static void print_metrics(const struct runtime_map *map, FILE *out)
{
    if (!map->metrics.listen) {
        return;
    }
    fputs("metrics:\n", out);
    print_pair("  listen", map->metrics.listen, out);
    if (map->metrics.address->ss_family == AF_UNIX) {
        fprintf(out, "  mode: \"%04o\"\n", (unsigned)map->metrics.mode);
        print_pair("  group", map->metrics.group, out);
    }
}

/* As an item of a list if there are several. */
static void print_socket(const struct runtime_map *map, const struct map_socket *socket, bool in_list, FILE *out)
{
    fputs(in_list ? "  - " : "  ", out);
    print_pair("address", socket->address, out);
    const char *indent = in_list ? "    " : "  ";
    fprintf(out, "%saccess: %s\n%smode: \"%04o\"\n", indent, socket->read_only ? "read-only" : "full", indent,
            (unsigned)socket->mode);
    print_pair(in_list ? "    group" : "  group", socket->group, out);
    print_pair(in_list ? "    callers" : "  callers", socket->callers, out);
    print_ids(in_list ? "    uids" : "  uids", socket->uids, socket->uid_count, out);
    print_ids(in_list ? "    gids" : "  gids", socket->gids, socket->gid_count, out);
    bool usual = socket->limits.connections == map->limits.connections && socket->limits.calls == map->limits.calls &&
                 socket->limits.streams == map->limits.streams;
    if (!usual) {
        fprintf(out, "%slimits: {connections: %u, calls: %u, streams: %u}\n", indent, socket->limits.connections,
                socket->limits.calls, socket->limits.streams);
    }
}

static void print_sockets(const struct runtime_map *map, FILE *out)
{
    fputs("listen:\n", out);
    print_socket(map, &map->listen, map->more_socket_count > 0, out);
    for (size_t i = 0; i < map->more_socket_count; i++) {
        print_socket(map, &map->more_sockets[i], true, out);
    }
}

void runtime_map_print(const struct runtime_map *map, FILE *out)
{
    for (size_t i = 0; i < map->file_count; i++) {
        print_file(map->files[i], out);
    }
    print_sockets(map, out);
    fputs("runtimes:\n", out);
    for (size_t i = 0; i < map->runtime_count; i++) {
        print_runtime(map, i, out);
    }
    for (size_t i = 0; i < map->removed_by_force_count; i++) {
        print_removed(map->removed_by_force[i], out);
    }
    fputs("routing:\n", out);
    print_pair("  annotation", map->routing.annotation, out);
    fputs("limits:\n", out);
    print_size("  message_size", map->limits.message_size, out);
    print_size("  memory", map->limits.memory, out);
    fprintf(out, "  list_items: %u\n", map->limits.list_items);
    fprintf(out, "  connections: %u\n", map->limits.connections);
    print_duration("  idle", map->limits.idle, out);
    fprintf(out, "  calls: %u\n", map->limits.calls);
    fprintf(out, "  streams: %u\n", map->limits.streams);
    print_duration("  startup_grace", map->limits.startup_grace, out);
    print_duration("  shutdown_grace", map->limits.shutdown_grace, out);
    fputs("events:\n", out);
    print_pair("  compose", compose_names[map->events.compose], out);
    print_duration("  interval", map->events.interval, out);
    print_hooks(map, out);
    print_metrics(map, out);
    if (map->audit.path) {
        fputs("audit:\n", out);
        print_pair("  path", map->audit.path, out);
    }
    print_pair("state", map->state, out);
}
