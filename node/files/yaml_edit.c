#include "node/files/yaml_edit.h"

#include "node/files/yaml_quote.h"
#include "node/files/yaml_top.h"

/* A text that is edited. */
struct edit {
    const char *file;
    struct bytes text;
    const char *key;
    struct arena *arena;
    struct error *error;
    struct yaml_top top;
};

enum yaml_edit_found yaml_edit_find(const char *file, struct bytes text, const char *key, struct arena *arena,
                                    struct yaml_edit_value *found, struct error *error)
{
    struct yaml_top top;
    *found = (struct yaml_edit_value){0};
    if (!yaml_top_read(file, text, key, arena, &top, error)) {
        return YAML_EDIT_INVALID;
    }
    if (!top.pair.present) {
        return YAML_EDIT_ABSENT;
    }
    found->place.line = top.pair.value_line;
    if (!top.pair.scalar) {
        return YAML_EDIT_OTHER;
    }
    found->value = top.pair.text;
    found->place.file = file;
    found->place.offset = top.pair.value;
    found->place.length = top.pair.end - top.pair.value;
    return YAML_EDIT_SCALAR;
}

/* ---- lines ---- */

/* The length of the line break at that place, 0: none. YAML has more of them than most. */
static size_t break_at(struct bytes text, size_t at)
{
    static const char *const breaks[] = {"\r\n", "\n", "\r", "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9"};
    for (size_t i = 0; text.data && i < sizeof breaks / sizeof *breaks; i++) {
        if (bytes_start_with(bytes_after(text, at), bytes_of_string(breaks[i]))) {
            return strlen(breaks[i]);
        }
    }
    return 0;
}

/* The length of the line break that ends there, 0: none. */
static size_t break_before(struct bytes text, size_t at)
{
    for (size_t len = 3; len > 0; len--) {
        if (len <= at && break_at(text, at - len) == len) {
            return len;
        }
    }
    return 0;
}

/* Where the line begins, behind a byte order mark. */
static size_t line_start(struct bytes text, size_t at)
{
    size_t first = bytes_start_with(text, bytes_of_string("\xef\xbb\xbf")) ? 3 : 0;
    while (at > first && break_before(text, at) == 0) {
        at--;
    }
    return at;
}

static size_t skip_blanks(struct bytes text, size_t at)
{
    while (at < text.len && (text.data[at] == ' ' || text.data[at] == '\t')) {
        at++;
    }
    return at;
}

/* How the text ends its lines. */
static struct bytes usual_break(struct bytes text)
{
    for (size_t at = 0; at < text.len; at++) {
        if (text.data[at] == '\n' || text.data[at] == '\r') {
            return bytes_of(text.data + at, break_at(text, at));
        }
    }
    return bytes_of("\n", 1);
}

/* ---- results ---- */

static bool by_hand(const struct edit *edit)
{
    return error_set(edit->error, STATUS_FAILED_PRECONDITION,
                     "%s: crigate cannot change the key %s without other changes; change it by hand", edit->file, edit->key);
}

/* Whether the text became what was wanted: the key has that value, and all others are as before. */
static bool check(const struct edit *edit, struct bytes result, const char *value)
{
    struct yaml_top top;
    if (!result.data) {
        return error_out_of_memory(edit->error);
    }
    struct error wrong = {.code = STATUS_OK};
    bool right = yaml_top_read(edit->file, result, edit->key, edit->arena, &top, &wrong) && top.pair.present && top.pair.scalar &&
                 strcmp(top.pair.text, value) == 0 && yaml_top_same_others(edit->text, result, edit->key, &wrong);
    return right || (wrong.code == STATUS_RESOURCE_EXHAUSTED ? error_out_of_memory(edit->error) : by_hand(edit));
}

static struct bytes insert(const struct edit *edit, size_t at, const struct bytes *parts, size_t count)
{
    struct bytes joined = arena_join(edit->arena, parts, count);
    return joined.data ? text_replace(edit->text, at, 0, joined, edit->arena) : joined;
}

/* ---- set ---- */

/* A new line at the end of the document, indented like the first key. */
static struct bytes add_line(const struct edit *edit, struct bytes key, struct bytes value)
{
    const struct yaml_top *top = &edit->top;
    struct bytes text = edit->text;
    struct bytes line_break = usual_break(text);
    struct bytes none = bytes_of(NULL, 0);
    size_t start = line_start(text, top->first_key);
    bool new_line = line_start(text, top->end) == top->end;
    struct bytes indent = top->empty ? none : bytes_of(text.data + start, skip_blanks(text, start) - start);
    const struct bytes parts[] = {new_line ? none : line_break, indent, key,
                                  bytes_of_string(": "),        value,  new_line ? line_break : none};
    return insert(edit, top->end, parts, sizeof parts / sizeof *parts);
}

/* A new pair right behind the brace, on a line of its own if the first one has one. */
static struct bytes add_to_flow(const struct edit *edit, struct bytes key, struct bytes value)
{
    const struct yaml_top *top = &edit->top;
    struct bytes text = edit->text;
    struct bytes none = bytes_of(NULL, 0);
    size_t end = skip_blanks(text, top->inside);
    struct bytes line_break = bytes_of(text.data + end, break_at(text, end));
    size_t start = line_start(text, top->first_key);
    bool own_line = !top->empty && line_break.len > 0 && skip_blanks(text, start) == top->first_key;
    const struct bytes parts[] = {own_line ? bytes_of(text.data + start, top->first_key - start) : none,
                                  key,
                                  bytes_of_string(": "),
                                  value,
                                  bytes_of_string(top->empty ? "" : ","),
                                  own_line ? line_break : none};
    return insert(edit, own_line ? end + line_break.len : top->inside, parts, sizeof parts / sizeof *parts);
}

static struct bytes replace_value(const struct edit *edit, struct bytes value)
{
    const struct yaml_pair *pair = &edit->top.pair;
    const struct bytes parts[] = {bytes_of_string(pair->value == pair->end ? " " : ""), value};
    struct bytes joined = arena_join(edit->arena, parts, sizeof parts / sizeof *parts);
    return joined.data ? text_replace(edit->text, pair->value, pair->end - pair->value, joined, edit->arena) : joined;
}

bool yaml_edit_set(const char *file, struct bytes text, const char *key, const char *value, struct arena *arena,
                   struct bytes *result, struct error *error)
{
    struct edit edit = {.file = file, .text = text, .key = key, .arena = arena, .error = error};
    const struct yaml_pair *pair = &edit.top.pair;
    if (!yaml_top_read(file, text, key, arena, &edit.top, error)) {
        return false;
    }
    if (pair->present && (!pair->scalar || pair->anchored)) {
        return error_set(error, STATUS_FAILED_PRECONDITION, "%s:%u: the value of %s is not plain text, or has an anchor", file,
                         pair->line, key);
    }
    if (pair->present && strcmp(pair->text, value) == 0) {
        *result = text;
        return true;
    }
    struct bytes key_text = yaml_quote(key, edit.top.flow, arena);
    struct bytes value_text = yaml_quote(value, edit.top.flow || pair->quoted, arena);
    if (!key_text.data || !value_text.data) {
        return error_out_of_memory(error);
    }
    *result = pair->present   ? replace_value(&edit, value_text)
              : edit.top.flow ? add_to_flow(&edit, key_text, value_text)
                              : add_line(&edit, key_text, value_text);
    return check(&edit, *result, value);
}
