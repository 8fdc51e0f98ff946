#include "core/preflight/containerd_config.h"

/* The key is at the top of the file, so nothing is read beyond the first table. */
#define KEY "disabled_plugins"

/* A position in the text. */
struct toml {
    const uint8_t *at;
    const uint8_t *end;
    unsigned line;
};

/* The plugin under its short name, its whole one, and that of containerd 2. */
static bool is_cri(struct bytes name)
{
    static const char *const names[] = {"cri", "io.containerd.grpc.v1.cri", "io.containerd.cri.v1.runtime"};
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
static bool read_key(struct toml *toml, bool *is_list)
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
    *is_list = bytes_equal(key, bytes_of_string(KEY));
    return toml->at < toml->end && *toml->at == '=';
}

/* Reads a value and the rest of its line. The line of the first string in it that is CRI's name, or 0. false: it does not end. */
static bool read_value(struct toml *toml, unsigned *line)
{
    unsigned depth = 0;
    *line = 0;
    while (toml->at < toml->end && (depth > 0 || *toml->at != '\n')) {
        unsigned before = toml->line;
        struct bytes content;
        if (*toml->at == '"' || *toml->at == '\'') {
            if (!read_string(toml, &content)) {
                return false;
            }
            *line = *line == 0 && is_cri(content) ? before : *line;
        } else if (*toml->at == '#') {
            skip_comment(toml);
        } else {
            depth += *toml->at == '[' || *toml->at == '{';
            depth -= depth > 0 && (*toml->at == ']' || *toml->at == '}');
            advance(toml);
        }
    }
    return depth == 0;
}

unsigned containerd_config_disables_cri(struct bytes text)
{
    struct toml toml = {.at = text.data, .end = text.data + text.len, .line = 1};
    bool is_list;
    while (toml.at < toml.end) {
        if (*toml.at == '#') {
            skip_comment(&toml);
        } else if (is_blank(*toml.at)) {
            advance(&toml);
        } else {
            unsigned line;
            if (!read_key(&toml, &is_list) || !read_value(&toml, &line)) {
                return 0;
            }
            if (is_list) {
                return line;
            }
        }
    }
    return 0;
}
