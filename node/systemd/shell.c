#include "node/systemd/shell.h"

#include <ctype.h>
#include <string.h>

#define MOST_WORDS 4096

struct reader {
    const struct command *command;
    struct traced_text script;
    size_t at;
    struct traced_builder word;
    bool open;        /* a word has begun */
    bool quoted;      /* a part of it was quoted, so that it is one even without bytes */
    bool redirection; /* the word is the target of one */
    struct traced_text *words;
    const char **spread;
    size_t count, spread_count;
    const char *strange;
    bool failed; /* no memory, or too many words */
};

/* Characters without quotes that mean more than themselves, and what. */
static const struct {
    char character;
    const char *meaning;
} meanings[] = {
    {'`', "a command substitution"}, {';', "several commands"},   {'&', "several commands"}, {'|', "a pipe"},
    {'\n', "several commands"},      {'(', "a subshell"},         {')', "a subshell"},       {'*', "a pattern of files"},
    {'?', "a pattern of files"},     {'[', "a pattern of files"}, {'{', "braces"},           {'}', "braces"},
    {'~', "a home folder"},          {'#', "a comment"},          {'!', "a negation"},
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static char peek(const struct reader *reader, size_t ahead)
{
    return reader->at + ahead < reader->script.len ? reader->script.text[reader->at + ahead] : '\0';
}

static void note_strange(struct reader *reader, const char *what)
{
    reader->strange = reader->strange ? reader->strange : what;
}

static void end_word(struct reader *reader)
{
    struct traced_text word;
    bool is_word = reader->open && (reader->word.len > 0 || reader->quoted);
    if (reader->word.failed || !traced_finish(&reader->word, &word) || (is_word && reader->count == MOST_WORDS)) {
        reader->failed = true;
        return;
    }
    if (is_word && !reader->redirection) {
        reader->words[reader->count++] = word;
    }
    reader->redirection = reader->redirection && !is_word;
    reader->open = reader->quoted = false;
}

static void put(struct reader *reader)
{
    traced_put(&reader->word, reader->script.text[reader->at], reader->script.from[reader->at]);
    reader->open = true;
    reader->at++;
}

/* ---- variables ---- */

/* A value without quotes: blanks in it end words, and quotes are bytes like others. */
static void put_split(struct reader *reader, struct traced_text value)
{
    for (size_t i = 0; i < value.len; i++) {
        if (is_blank(value.text[i])) {
            end_word(reader);
        } else {
            traced_put(&reader->word, value.text[i], value.from[i]);
            reader->open = true;
        }
    }
}

/* Whether the name that begins here is all of a word. */
static bool is_alone(const struct reader *reader, size_t end)
{
    return !reader->open && (end == reader->script.len || is_blank(reader->script.text[end]));
}

static void note_spread(struct reader *reader, const char *name, bool quoted, size_t end)
{
    if (!quoted && !reader->redirection && is_alone(reader, end) && reader->spread_count < MOST_WORDS) {
        reader->spread[reader->spread_count++] = name;
    }
}

/* At "$". */
static void take_variable(struct reader *reader, bool quoted)
{
    const char *text = reader->script.text;
    bool braces = peek(reader, 1) == '{';
    size_t begin = reader->at + (braces ? 2 : 1), end = begin;
    while (end < reader->script.len && (isalnum((unsigned char)text[end]) || text[end] == '_')) {
        end++;
    }
    struct bytes name = bytes_of(text + begin, end - begin);
    if (!environment_name_is_valid(name) || (braces && (end == reader->script.len || text[end] != '}'))) {
        note_strange(reader, peek(reader, 1) == '(' ? "a command substitution" : "a \"$\" that is not a plain variable");
        reader->at = reader->script.len;
        return;
    }
    end += braces;
    const char *copy = arena_string(reader->word.arena, name);
    const struct command_variable *variable = copy ? command_variable(reader->command, copy) : NULL;
    reader->failed = reader->failed || !copy;
    note_spread(reader, copy, quoted, end);
    if (variable && quoted) {
        traced_put_text(&reader->word, variable->entry.value);
    } else if (variable) {
        put_split(reader, variable->entry.value);
    }
    reader->at = end;
}

/* ---- quotes and words ---- */

static void take_quoted(struct reader *reader, char quote)
{
    reader->open = reader->quoted = true;
    reader->at++;
    while (reader->at < reader->script.len && peek(reader, 0) != quote) {
        char next = peek(reader, 1);
        if (quote == '"' && peek(reader, 0) == '`') {
            note_strange(reader, "a command substitution");
        }
        if (quote == '"' && peek(reader, 0) == '$' && next != quote && !is_blank(next)) {
            take_variable(reader, true);
            continue;
        }
        reader->at += quote == '"' && peek(reader, 0) == '\\' && next && strchr("$`\"\\", next);
        put(reader);
    }
    if (reader->at >= reader->script.len) {
        note_strange(reader, "an unterminated quote");
    }
    reader->at++;
}

/* At "<" or ">": the descriptor before it belongs to it, and the next word is its target. */
static void take_redirection(struct reader *reader)
{
    bool number = reader->open && !reader->quoted;
    for (size_t i = 0; i < reader->word.len; i++) {
        number = number && isdigit((unsigned char)reader->word.text[i]);
    }
    if (number) {
        reader->word.len = 0;
    }
    end_word(reader);
    if (peek(reader, 0) == '<' && peek(reader, 1) == '<') {
        note_strange(reader, "a here-document");
    }
    if (peek(reader, 1) == '(') {
        note_strange(reader, "a process substitution");
    }
    while (reader->at < reader->script.len && strchr("<>&", peek(reader, 0))) {
        reader->at++;
    }
    reader->redirection = true;
}

static const char *meaning_of(const struct reader *reader)
{
    bool inside = reader->open; /* these mean more only at the beginning of a word */
    for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++) {
        char c = meanings[i].character;
        if (c == peek(reader, 0) && !(inside && strchr("~#!", c))) {
            return meanings[i].meaning;
        }
    }
    return NULL;
}

static void step(struct reader *reader)
{
    char c = peek(reader, 0);
    const char *meaning = meaning_of(reader);
    if (meaning) {
        note_strange(reader, meaning);
        reader->at++;
    } else if (is_blank(c)) {
        end_word(reader);
        reader->at++;
    } else if (c == '\'' || c == '"') {
        take_quoted(reader, c);
    } else if (c == '$') {
        take_variable(reader, false);
    } else if (c == '<' || c == '>') {
        take_redirection(reader);
    } else {
        reader->at += c == '\\' && reader->at + 1 < reader->script.len;
        put(reader);
    }
}

/* Words that begin something else than a simple command. */
static const char *strange_first(const char *word)
{
    static const char *const reserved[] = {"if", "while", "until", "for",    "case", "set",    "export",
                                           "cd", "eval",  ".",     "source", "trap", "ulimit", "umask"};
    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++) {
        if (strcmp(word, reserved[i]) == 0) {
            return "more than one simple command";
        }
    }
    return strchr(word, '=') ? "an assignment" : NULL;
}

static void trim(struct traced_text *script)
{
    while (script->len > 0 && is_blank(script->text[script->len - 1])) {
        script->len--;
    }
    size_t begin = 0;
    while (begin < script->len && is_blank(script->text[begin])) {
        begin++;
    }
    *script = traced_part(*script, begin, script->len - begin);
}

bool shell_read(const struct command *command, struct traced_text script, struct arena *arena, struct shell_command *read,
                struct error *error)
{
    struct reader reader = {.command = command,
                            .script = script,
                            .word.arena = arena,
                            .words = arena_zalloc(arena, MOST_WORDS * sizeof *reader.words),
                            .spread = arena_zalloc(arena, MOST_WORDS * sizeof *reader.spread)};
    *read = (struct shell_command){.count = 0};
    if (!reader.words || !reader.spread) {
        return error_out_of_memory(error);
    }
    trim(&reader.script);
    while (reader.at < reader.script.len && !reader.strange && !reader.failed) {
        step(&reader);
    }
    end_word(&reader);
    if (reader.failed) {
        return error_out_of_memory(error);
    }
    size_t first = reader.count > 0 && strcmp(reader.words[0].text, "exec") == 0;
    const char *strange = reader.strange          ? reader.strange
                          : reader.count == first ? "no command"
                                                  : strange_first(reader.words[first].text);
    if (strange) {
        read->strange = strange;
        return true;
    }
    *read = (struct shell_command){.words = reader.words + first,
                                   .count = reader.count - first,
                                   .spread = reader.spread,
                                   .spread_count = reader.spread_count};
    return true;
}
