#include "core/plugins/file.h"

#include <stdio.h>

#include "core/map/names.h"
#include "core/map/values.h"
#include "core/plugins/json_check.h"
#include "translate/json/scan.h"
#include "translate/koordinator/koordinator.h"

/* Far more than there are. */
#define MOST_KEYS 64
#define MOST_HOOKS 64

/* Room for the texts of a file: decoded, they are shorter. */
#define TEXT_CAP (4 * PLUGIN_FILE_SIZE)

/* What koordlet calls the hooks that have a stage. */
static const char *const hook_names[] = {
    "PreRunPodSandbox",   "PostStopPodSandbox",          "PreCreateContainer", "PreStartContainer",
    "PostStartContainer", "PreUpdateContainerResources", "PostStopContainer",
};

#define HOOK_COUNT (sizeof hook_names / sizeof hook_names[0])

struct plugin_hooks_text plugin_hooks_text(uint32_t stages)
{
    struct plugin_hooks_text names = {"no hook"};
    size_t used = 0;
    for (size_t i = 0; i < HOOK_COUNT; i++) {
        uint32_t stage = 0;
        if (koordinator_stage_by_name(bytes_of_string(hook_names[i]), &stage) && (stages & stage)) {
            int length = snprintf(names.text + used, sizeof names.text - used, "%s%s", used ? ", " : "", hook_names[i]);
            used += (size_t)length < sizeof names.text - used ? (size_t)length : 0;
        }
    }
    return names;
}

/* A file that is read. */
struct reader {
    const struct plugin_file *file;
    struct arena *texts; /* that were decoded */
};

/* Where a slice of the text begins. Columns count characters. */
static struct place place_of(const struct plugin_file *file, const uint8_t *at)
{
    struct place place = {.line = 1, .column = 1, .file = file->number};
    for (const uint8_t *byte = file->text.data; byte < at; byte++) {
        if (*byte == '\n') {
            place.line++;
            place.column = 1;
        } else if ((*byte & 0xC0) != 0x80) {
            place.column++;
        }
    }
    return place;
}

/* The text of a value: printable ASCII, valid until the file is read. NULL after it has added a mistake. */
static const char *read_text(const struct reader *reader, const char *what, struct bytes value)
{
    struct bytes text = {0};
    const char *mistake = NULL;
    const char *copy = NULL;
    if (*value.data != '"') {
        mistake = "text in quotes is expected here";
    } else if (!json_scan_string(value, reader->texts, &text)) {
        mistake = "only printable ASCII characters are allowed";
    }
    for (size_t i = 0; !mistake && i < text.len; i++) {
        mistake = text.data[i] < ' ' || text.data[i] > '~' ? "only printable ASCII characters are allowed" : NULL;
    }
    if (!mistake) {
        copy = arena_string(reader->texts, text);
        mistake = copy ? NULL : "out of memory";
    }
    if (mistake) {
        problems_add(reader->file->problems, place_of(reader->file, value.data), "%s: %s", what, mistake);
    }
    return copy;
}

/* Reads a value as a key of the runtime map is read, with the same bounds and words. */
static bool read_as_in_map(const struct reader *reader, const char *what, struct bytes value, const char *text,
                           yaml_parse_text *parse, void *target)
{
    struct error error = {0};
    if (!parse(&(struct yaml_scalar){.text = text, .value = target, .memory = reader->file->memory, .error = &error})) {
        problems_add(reader->file->problems, place_of(reader->file, value.data), "%s: %s", what, error.message);
        return false;
    }
    return true;
}

/* Reads the value of a key into the plugin, and adds its mistakes. */
typedef void read_value(const struct reader *reader, const char *what, struct bytes value, struct plugin_settings *plugin);

static void read_endpoint(const struct reader *reader, const char *what, struct bytes value, struct plugin_settings *plugin)
{
    const char *text = read_text(reader, what, value);
    if (text) {
        read_as_in_map(reader, what, value, text, value_socket, &plugin->endpoint);
    }
}

/* Another word means Ignore to Koordinator's proxy. It writes "" for none. */
static void read_policy(const struct reader *reader, const char *what, struct bytes value, struct plugin_settings *plugin)
{
    const char *text = read_text(reader, what, value);
    if (!text) {
        return;
    }
    plugin->fail = strcmp(text, "Fail") == 0;
    if (!plugin->fail && *text && strcmp(text, "Ignore") != 0) {
        problems_warn(reader->file->problems, place_of(reader->file, value.data),
                      "%s: \"%.80s\" is neither Fail nor Ignore, and counts as Ignore; write one of them", what, text);
    }
}

static void read_hook(const struct reader *reader, const char *what, struct bytes value, struct plugin_settings *plugin)
{
    const char *text = read_text(reader, what, value);
    uint32_t stage = 0;
    if (!text) {
        return;
    }
    if (!koordinator_stage_by_name(bytes_of_string(text), &stage)) {
        problems_warn(reader->file->problems, place_of(reader->file, value.data),
                      "%s: unknown hook \"%.80s\", which is never called; known hooks: %s", what, text,
                      plugin_hooks_text(UINT32_MAX).text);
    }
    plugin->stages |= stage;
}

static void read_hooks(const struct reader *reader, const char *what, struct bytes value, struct plugin_settings *plugin)
{
    struct json_scan items;
    struct bytes key;
    struct bytes item;
    if (!json_scan_open(value, false, &items)) {
        problems_add(reader->file->problems, place_of(reader->file, value.data),
                     "%s: a list is expected here, such as [\"PreRunPodSandbox\"]", what);
        return;
    }
    for (unsigned count = 0; json_scan_next(&items, &key, &item); count++) {
        if (count == MOST_HOOKS) {
            problems_add(reader->file->problems, place_of(reader->file, item.data), "%s: more than %d", what, MOST_HOOKS);
            return;
        }
        read_hook(reader, what, item, plugin);
    }
}

/* Milliseconds as a number, or a duration as in the runtime map. */
static void read_timeout(const struct reader *reader, const char *what, struct bytes value, struct plugin_settings *plugin)
{
    uint64_t number;
    char milliseconds[32];
    const char *text = milliseconds;
    if (*value.data == '"') {
        text = read_text(reader, what, value);
    } else if (json_scan_uint64(value, &number)) {
        snprintf(milliseconds, sizeof milliseconds, "%llums", (unsigned long long)number);
    } else {
        problems_add(reader->file->problems, place_of(reader->file, value.data),
                     "%s: write milliseconds as a whole number, or a duration such as \"500ms\"", what);
        return;
    }
    if (text) {
        read_as_in_map(reader, what, value, text, value_hook_timeout, &plugin->timeout);
    }
}

enum key {
    KEY_ENDPOINT,
    KEY_POLICY,
    KEY_HOOKS,
    KEY_TIMEOUT,
    KEY_COUNT,
};

static const struct {
    const char *name;
    read_value *read;
} keys[KEY_COUNT] = {
    [KEY_ENDPOINT] = {"remote-endpoint", read_endpoint},
    [KEY_POLICY] = {"failure-policy", read_policy},
    [KEY_HOOKS] = {"runtime-hooks", read_hooks},
    [KEY_TIMEOUT] = {"timeout", read_timeout},
};

/* A key as it is in the file, for a message. */
struct key_text {
    char text[61];
};

static struct key_text key_text(struct bytes key)
{
    struct key_text shown = {""};
    for (size_t i = 0; i < key.len && i < sizeof shown.text - 1; i++) {
        shown.text[i] = key.data[i] >= ' ' && key.data[i] <= '~' ? (char)key.data[i] : '?';
    }
    return shown;
}

/* `key` is what is between the quotes; `seen` are the keys before. */
static void read_member(const struct reader *reader, struct bytes key, struct bytes value, bool *seen,
                        struct plugin_settings *plugin)
{
    struct place place = place_of(reader->file, key.data - 1);
    size_t number = 0;
    while (number < KEY_COUNT && !bytes_equal(key, bytes_of_string(keys[number].name))) {
        number++;
    }
    if (number == KEY_COUNT) {
        problems_warn(reader->file->problems, place,
                      "unknown key \"%s\", which is ignored; known keys: remote-endpoint, failure-policy, runtime-hooks, timeout",
                      key_text(key).text);
    } else if (seen[number]) {
        problems_add(reader->file->problems, place, "\"%s\" appears twice; keep one", keys[number].name);
    } else if (!bytes_equal(value, bytes_of_string("null"))) {
        seen[number] = true;
        keys[number].read(reader, keys[number].name, value, plugin);
    }
}

/* false: it is not an object. */
static bool read_members(const struct reader *reader, struct bytes root, struct plugin_settings *plugin)
{
    struct json_scan members;
    struct bytes key;
    struct bytes value;
    bool seen[KEY_COUNT] = {0};
    if (!json_scan_open(root, true, &members)) {
        return false;
    }
    for (unsigned count = 0; json_scan_next(&members, &key, &value); count++) {
        if (count == MOST_KEYS) {
            problems_add(reader->file->problems, place_of(reader->file, key.data), "more than %d keys", MOST_KEYS);
            return true;
        }
        read_member(reader, key, value, seen, plugin);
    }
    if (!seen[KEY_ENDPOINT]) {
        problems_add(reader->file->problems, place_of(reader->file, root.data),
                     "\"remote-endpoint\" is missing; write the path of the plugin's socket");
    }
    if (plugin->stages == 0) {
        problems_warn(reader->file->problems, place_of(reader->file, root.data),
                      "\"runtime-hooks\" names no hook that is called: the plugin does nothing");
    }
    return true;
}

/* Of a text that is JSON. */
static void read_root(const struct plugin_file *file, struct plugin_settings *plugin)
{
    struct reader reader = {.file = file, .texts = arena_new(TEXT_CAP)};
    struct bytes root = json_skip_white(file->text);
    if (!reader.texts) {
        problems_add(file->problems, (struct place){.file = file->number}, "out of memory");
    } else if (!read_members(&reader, root, plugin)) {
        problems_add(file->problems, place_of(file, root.data), "an object is expected here: {\"remote-endpoint\": ...}");
    }
    arena_unref(reader.texts);
}

bool plugin_file_read(const struct plugin_file *file, struct plugin_settings *plugin)
{
    struct error error = {0};
    size_t offset = 0;
    size_t errors = file->problems->errors;
    plugin->protocol = &koordinator_protocol;
    if (file->text.len > PLUGIN_FILE_SIZE) {
        problems_add(file->problems, (struct place){.file = file->number}, "it is larger than %zu KiB; a plugin's file is short",
                     PLUGIN_FILE_SIZE >> 10);
    } else if (json_check(file->text, &offset, &error)) {
        read_root(file, plugin);
    } else {
        problems_add(file->problems, place_of(file, bytes_after(file->text, offset).data), "%s", error.message);
    }
    return file->problems->errors == errors;
}
