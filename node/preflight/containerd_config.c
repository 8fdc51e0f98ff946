#include "node/preflight/containerd_config.h"

#include <string.h>

#include "node/files/node_file.h"
#include "node/systemd/join.h"
#include "node/systemd/path_pattern.h"
#include "node/systemd/unit_command.h"

#define MOST_FILES 64

/* The keys are at the top of the file, so nothing is read beyond the first table. */
enum top_key {
    OTHER_KEY,
    DISABLED_PLUGINS,
    IMPORTS,
};

/* Reads strings of the lists at the top. */
struct top {
    unsigned line; /* of the entry that switches CRI off */
    struct arena *arena;
    const char **imports; /* NULL: they are not asked for */
    size_t import_count;
};

/* A position in the text. */
struct toml {
    const uint8_t *at;
    const uint8_t *end;
    unsigned line;
};

/* The plugin under its short name, its whole one, and those that it consists of in containerd 2. */
static bool is_cri(struct bytes name)
{
    static const char *const names[] = {"cri", "io.containerd.grpc.v1.cri", "io.containerd.cri.v1.runtime",
                                        "io.containerd.cri.v1.images"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (bytes_equal(name, bytes_of_string(names[i]))) {
            return true;
        }
    }
    return false;
}

static bool starts_with(const struct toml *toml, const char *text)
{
    return bytes_start_with(bytes_of(toml->at, (size_t)(toml->end - toml->at)), bytes_of_string(text));
}

static bool is_blank(uint8_t letter)
{
    return letter == ' ' || letter == '\t' || letter == '\r' || letter == '\n';
}

static void advance(struct toml *toml)
{
    toml->line += *toml->at == '\n';
    toml->at++;
}

static void skip_comment(struct toml *toml)
{
    while (toml->at < toml->end && *toml->at != '\n') {
        toml->at++;
    }
}

/* Reads a string of any of the four kinds, without decoding escapes. false: it does not end. */
static bool read_string(struct toml *toml, struct bytes *content)
{
    bool basic = *toml->at == '"';
    bool several_lines = starts_with(toml, basic ? "\"\"\"" : "'''");
    const char *quote = several_lines ? (basic ? "\"\"\"" : "'''") : (basic ? "\"" : "'");
    toml->at += strlen(quote);
    const uint8_t *start = toml->at;
    while (toml->at < toml->end && !starts_with(toml, quote)) {
        if (*toml->at == '\n' && !several_lines) {
            return false;
        }
        if (basic && *toml->at == '\\' && toml->at + 1 < toml->end) {
            advance(toml);
        }
        advance(toml);
    }
    if (toml->at >= toml->end) {
        return false;
    }
    *content = bytes_of(start, (size_t)(toml->at - start));
    toml->at += strlen(quote);
    return true;
}

/* Reads up to the "=" of the next key. false: there is no further key at the top. */
static bool read_key(struct toml *toml, enum top_key *which)
{
    const uint8_t *start = toml->at;
    struct bytes key = {0};
    while (toml->at < toml->end && *toml->at != '=' && *toml->at != '\n' && *toml->at != '#' && *toml->at != '[') {
        bool quoted = *toml->at == '"' || *toml->at == '\'';
        if (quoted && !read_string(toml, &key)) {
            return false;
        }
        toml->at += !quoted;
    }
    if (!key.data) {
        key = bytes_of(start, (size_t)(toml->at - start));
        while (key.len > 0 && is_blank(key.data[key.len - 1])) {
            key.len--;
        }
    }
    *which = bytes_equal(key, bytes_of_string("disabled_plugins")) ? DISABLED_PLUGINS
             : bytes_equal(key, bytes_of_string("imports"))        ? IMPORTS
                                                                   : OTHER_KEY;
    return toml->at < toml->end && *toml->at == '=';
}

static void take_string(struct top *top, enum top_key key, struct bytes content, unsigned line)
{
    if (key == DISABLED_PLUGINS && top->line == 0 && is_cri(content)) {
        top->line = line;
    } else if (key == IMPORTS && top->imports && top->import_count < MOST_FILES) {
        const char *import = arena_string(top->arena, content);
        top->imports[top->import_count] = import;
        top->import_count += import != NULL;
    }
}

/* Reads a value and the rest of its line. false: it does not end. */
static bool read_value(struct toml *toml, struct top *top, enum top_key key)
{
    unsigned depth = 0;
    struct top before = *top;
    while (toml->at < toml->end && (depth > 0 || *toml->at != '\n')) {
        unsigned line = toml->line;
        struct bytes content;
        if (*toml->at == '"' || *toml->at == '\'') {
            if (!read_string(toml, &content)) {
                *top = before;
                return false;
            }
            take_string(top, key, content, line);
        } else if (*toml->at == '#') {
            skip_comment(toml);
        } else {
            depth += *toml->at == '[' || *toml->at == '{';
            depth -= depth > 0 && (*toml->at == ']' || *toml->at == '}');
            advance(toml);
        }
    }
    *top = depth == 0 ? *top : before;
    return depth == 0;
}

static void read_top(struct bytes text, struct top *top)
{
    struct toml toml = {.at = text.data, .end = text.data + text.len, .line = 1};
    enum top_key key;
    while (toml.at < toml.end) {
        if (*toml.at == '#') {
            skip_comment(&toml);
        } else if (is_blank(*toml.at)) {
            advance(&toml);
        } else if (!read_key(&toml, &key) || !read_value(&toml, top, key)) {
            return;
        }
    }
}

unsigned containerd_config_disables_cri(struct bytes text)
{
    struct top top = {.line = 0};
    read_top(text, &top);
    return top.line;
}

/* ---- imports ---- */

/* Files that are read or are to be; each one once. */
struct files {
    struct arena *arena;
    const char *paths[MOST_FILES];
    size_t count;
};

static void add_file(struct files *files, const char *path)
{
    for (size_t i = 0; i < files->count; i++) {
        if (strcmp(files->paths[i], path) == 0) {
            return;
        }
    }
    if (files->count < MOST_FILES) {
        files->paths[files->count++] = path;
    }
}

/* A relative path is so to the folder of the file that has it. */
static void add_import(struct files *files, const char *parent, const char *import)
{
    const char *found[MOST_FILES];
    size_t count = 0, folder = (size_t)(strrchr(parent, '/') - parent) + 1;
    const char *front = import[0] == '/' ? "" : arena_string(files->arena, bytes_of(parent, folder));
    const char *path = front ? join_strings(files->arena, front, import, (char *)NULL) : NULL;
    if (path && path_pattern_expand(path, MOST_FILES, files->arena, found, &count)) {
        for (size_t i = 0; i < count; i++) {
            add_file(files, found[i]);
        }
    }
}

unsigned containerd_config_search(const char *file, struct arena *arena, const char **path)
{
    struct files files = {.arena = arena, .paths = {file}, .count = file[0] == '/'};
    const char *imports[MOST_FILES];
    for (size_t i = 0; i < files.count; i++) {
        struct node_file read;
        struct error ignored;
        struct top top = {.arena = arena, .imports = imports};
        bool is_link;
        *path = files.paths[i];
        if (read_through_link(*path, arena, &read, &is_link, &ignored) && read.present) {
            read_top(read.text, &top);
        }
        if (top.line > 0) {
            return top.line;
        }
        for (size_t j = 0; j < top.import_count; j++) {
            add_import(&files, *path, imports[j]);
        }
    }
    return 0;
}
