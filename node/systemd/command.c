#include "node/systemd/command.h"

#include <stdio.h>
#include <string.h>

#include "node/systemd/specifier.h"
#include "node/systemd/unit_file.h"
#include "node/systemd/words.h"

#define MOST_WORDS 4096
#define MOST_VARIABLES 1024

struct reader {
    const char *unit;
    const struct command_file *files;
    struct arena *arena;
    struct error *error;
    struct unit_line start; /* ExecStart= in force */
    uint16_t start_file;
    size_t start_count;
    struct command_variable *variables;
    size_t variable_count;
    struct traced_text *words;
    size_t count;
    const char **spread;
    size_t spread_count;
    const char *unclear;
};

const struct command_variable *command_variable(const struct command *command, const char *name)
{
    for (size_t i = 0; i < command->variable_count; i++) {
        if (strcmp(command->variables[i].name, name) == 0) {
            return &command->variables[i];
        }
    }
    return NULL;
}

static bool refuse(struct reader *reader, uint16_t file, unsigned line, const char *why)
{
    return error_set(reader->error, STATUS_INVALID_ARGUMENT, "%s:%u: %s", reader->files[file].path, line, why);
}

/* Sets a variable again; the later value counts. */
static bool set_variable(struct reader *reader, const struct environment_entry *entry, bool of_environment_file)
{
    size_t at = 0;
    while (at < reader->variable_count && strcmp(reader->variables[at].name, entry->name) != 0) {
        at++;
    }
    if (at == MOST_VARIABLES) {
        return refuse(reader, entry->file, entry->line, "too many variables");
    }
    reader->variable_count += at == reader->variable_count;
    reader->variables[at] =
        (struct command_variable){.name = entry->name, .entry = *entry, .of_environment_file = of_environment_file};
    return true;
}

/* Notes what is not understood; the first counts. */
static bool note_unclear(struct reader *reader, uint16_t file, unsigned line, const char *what, const char *name)
{
    char text[ERROR_MESSAGE_SIZE];
    snprintf(text, sizeof text, "%s:%u has %s%s", reader->files[file].path, line, what, name);
    reader->unclear = reader->unclear ? reader->unclear : arena_string(reader->arena, bytes_of_string(text));
    return reader->unclear || error_out_of_memory(reader->error);
}

/* The value of a specifier is in no file. An unknown specifier stays. */
static bool replace_specifiers(struct reader *reader, struct traced_text *word, uint16_t file, unsigned line)
{
    const struct origin nowhere = {.file = ORIGIN_NOWHERE};
    struct traced_builder builder = {.arena = reader->arena};
    for (size_t i = 0; i < word->len; i++) {
        if (word->text[i] != '%' || i + 1 == word->len) {
            traced_put(&builder, word->text[i], word->from[i]);
            continue;
        }
        char letter = word->text[++i];
        const char *value = specifier_value(letter, reader->unit, reader->files[0].path, reader->arena);
        if (!value) {
            traced_put(&builder, '%', nowhere);
            traced_put(&builder, letter, nowhere);
            if (!note_unclear(reader, file, line, "the specifier %", (const char[]){letter, '\0'})) {
                return false;
            }
        }
        for (; value && *value; value++) {
            traced_put(&builder, *value, nowhere);
        }
    }
    return traced_finish(&builder, word) || error_out_of_memory(reader->error);
}

/* Takes "NAME=VALUE". What is none is passed over, as systemd does. */
static bool take_assignment(struct reader *reader, struct traced_text word, uint16_t file, unsigned line)
{
    const char *sign = memchr(word.text, '=', word.len);
    struct bytes name = bytes_of(word.text, sign ? (size_t)(sign - word.text) : 0);
    if (!environment_name_is_valid(name)) {
        return true;
    }
    struct environment_entry entry = {.name = arena_string(reader->arena, name),
                                      .value = traced_part(word, name.len + 1, word.len - name.len - 1),
                                      .file = file,
                                      .line = line};
    return entry.name ? set_variable(reader, &entry, false) : error_out_of_memory(reader->error);
}

static bool take_environment(struct reader *reader, const struct unit_line *line, uint16_t file)
{
    if (line->value.len == 0) {
        reader->variable_count = 0;
        return true;
    }
    size_t at = 0;
    for (;;) {
        struct traced_text word;
        switch (words_next(line->value, &at, WORDS_OF_UNIT, reader->arena, &word)) {
        case WORDS_END:
            return true;
        case WORDS_MISTAKE:
            return refuse(reader, file, line->line, "Environment= has an unterminated quote or escape");
        case WORDS_NO_MEMORY:
            return error_out_of_memory(reader->error);
        case WORDS_WORD:
            if (!replace_specifiers(reader, &word, file, line->line) || !take_assignment(reader, word, file, line->line)) {
                return false;
            }
        }
    }
}

static bool take_unit_line(struct reader *reader, const struct unit_line *line, uint16_t file)
{
    if (strcmp(line->section, "Service") != 0) {
        return true;
    }
    if (strcmp(line->key, "Environment") == 0) {
        return take_environment(reader, line, file);
    }
    /* Variables of systemd's own environment come, or ones that are set here go. */
    if (strcmp(line->key, "PassEnvironment") == 0 || strcmp(line->key, "UnsetEnvironment") == 0) {
        return line->value.len == 0 || note_unclear(reader, file, line->line, line->key, "=");
    }
    if (strcmp(line->key, "ExecStart") == 0) {
        reader->start_count = line->value.len == 0 ? 0 : reader->start_count + 1;
        reader->start = *line;
        reader->start_file = file;
    }
    return true;
}

static bool take_unit_file(struct reader *reader, uint16_t file)
{
    struct unit_lines lines;
    if (!unit_file_read(reader->files[file].text, file, reader->arena, &lines, reader->error)) {
        return false;
    }
    for (size_t i = 0; i < lines.count; i++) {
        if (!take_unit_line(reader, &lines.items[i], file)) {
            return false;
        }
    }
    return true;
}

static bool take_environment_file(struct reader *reader, uint16_t file)
{
    struct environment_entries entries;
    if (!environment_file_read(reader->files[file].text, file, reader->arena, &entries, reader->error)) {
        return false;
    }
    for (size_t i = 0; i < entries.count; i++) {
        if (!set_variable(reader, &entries.items[i], true)) {
            return false;
        }
    }
    return true;
}

/* All unit files before all environment files, whatever their order: variables of the latter win. */
static bool take_files(struct reader *reader, size_t count)
{
    for (int environment = 0; environment < 2; environment++) {
        for (size_t i = 0; i < count; i++) {
            if (!reader->files[i].text.data || reader->files[i].is_environment != (environment == 1)) {
                continue;
            }
            if (!(environment ? take_environment_file : take_unit_file)(reader, (uint16_t)i)) {
                return false;
            }
        }
    }
    return true;
}

/* Marks where the bytes of variables came from. */
static void number_variables(struct reader *reader)
{
    for (size_t i = 0; i < reader->variable_count; i++) {
        struct traced_text value = reader->variables[i].entry.value;
        union {
            const struct origin *constant;
            struct origin *plain; /* the reader made them itself */
        } from = {.constant = value.from};
        for (size_t j = 0; j < value.len; j++) {
            from.plain[j].variable = (uint16_t)(i + 1);
        }
    }
}

static const struct command_variable *find_variable(const struct reader *reader, const char *name, size_t len)
{
    for (size_t i = 0; i < reader->variable_count; i++) {
        if (strlen(reader->variables[i].name) == len && memcmp(reader->variables[i].name, name, len) == 0) {
            return &reader->variables[i];
        }
    }
    return NULL;
}

static bool add_word(struct reader *reader, struct traced_text word)
{
    if (reader->count == MOST_WORDS) {
        return refuse(reader, reader->start_file, reader->start.line, "the command line has too many words");
    }
    reader->words[reader->count++] = word;
    return true;
}

/* "$NAME" as a word: the words of its value. */
static bool spread_variable(struct reader *reader, struct traced_text word)
{
    const char *name = arena_string(reader->arena, bytes_of(word.text + 1, word.len - 1));
    if (!name) {
        return error_out_of_memory(reader->error);
    }
    if (environment_name_is_valid(bytes_of_string(name)) && reader->spread_count < MOST_VARIABLES) {
        reader->spread[reader->spread_count++] = name;
    }
    const struct command_variable *variable = find_variable(reader, name, strlen(name));
    size_t at = 0;
    while (variable) {
        struct traced_text part;
        enum words_result result = words_next(variable->entry.value, &at, WORDS_OF_VARIABLE, reader->arena, &part);
        if (result == WORDS_NO_MEMORY) {
            return error_out_of_memory(reader->error);
        }
        if (result != WORDS_WORD) {
            break;
        }
        if (!add_word(reader, part)) {
            return false;
        }
    }
    return true;
}

/* Replaces "${NAME}" within a word, and "$$". */
static bool expand_word(struct reader *reader, struct traced_text word)
{
    struct traced_builder builder = {.arena = reader->arena};
    for (size_t i = 0; i < word.len; i++) {
        const char *end = NULL;
        bool dollar = word.text[i] == '$' && i + 1 < word.len;
        if (dollar && word.text[i + 1] == '{') {
            end = memchr(word.text + i, '}', word.len - i);
        }
        if (end) {
            size_t len = (size_t)(end - word.text) - i - 2;
            const struct command_variable *variable = find_variable(reader, word.text + i + 2, len);
            if (variable) {
                traced_put_text(&builder, variable->entry.value);
            }
            i += len + 2;
        } else {
            traced_put(&builder, word.text[i], word.from[i]);
            i += dollar && word.text[i + 1] == '$';
        }
    }
    struct traced_text expanded;
    return traced_finish(&builder, &expanded) ? add_word(reader, expanded) : error_out_of_memory(reader->error);
}

/* The prefixes of the program: "@" means that the word after it is only what the program is called; ":" that variables stay as
   they are. */
struct prefixes {
    bool renamed, literal;
};

static struct prefixes take_prefixes(struct traced_text *program)
{
    struct prefixes prefixes = {.renamed = false};
    while (program->len > 0 && strchr("-@:+!|", program->text[0])) {
        prefixes.renamed = prefixes.renamed || program->text[0] == '@';
        prefixes.literal = prefixes.literal || program->text[0] == ':';
        *program = traced_part(*program, 1, program->len - 1);
    }
    return prefixes;
}

static bool take_word(struct reader *reader, struct traced_text word, bool literal)
{
    if (!replace_specifiers(reader, &word, reader->start_file, reader->start.line)) {
        return false;
    }
    if (literal) {
        return add_word(reader, word);
    }
    bool alone = word.len > 1 && word.text[0] == '$' && word.text[1] != '{' && word.text[1] != '$';
    return alone ? spread_variable(reader, word) : expand_word(reader, word);
}

/* Whether the next word is ";" without quotes, which begins another command; "\\;" is a word. */
static bool is_separator(struct traced_text text, size_t at)
{
    at += strspn(text.text + at, " \t");
    return at < text.len && text.text[at] == ';' && (at + 1 == text.len || strchr(" \t", text.text[at + 1]));
}

/* Makes the words of ExecStart=. */
static bool take_start(struct reader *reader)
{
    struct prefixes prefixes = {.renamed = false};
    size_t at = 0;
    for (size_t number = 0;; number++) {
        struct traced_text word;
        if (number > 0 && is_separator(reader->start.value, at)) {
            return true;
        }
        enum words_result result = words_next(reader->start.value, &at, WORDS_OF_UNIT, reader->arena, &word);
        if (result == WORDS_NO_MEMORY) {
            return error_out_of_memory(reader->error);
        }
        if (result == WORDS_MISTAKE) {
            return refuse(reader, reader->start_file, reader->start.line, "ExecStart= has an unterminated quote or escape");
        }
        if (result == WORDS_END) {
            return true;
        }
        if (strcmp(word.text, "\\;") == 0) {
            word = traced_part(word, 1, 1);
        }
        if (number == 0) {
            prefixes = take_prefixes(&word);
        }
        bool name_only = number == 1 && prefixes.renamed;
        if (!name_only && !take_word(reader, word, prefixes.literal)) {
            return false;
        }
    }
}

bool command_read(const char *unit, const struct command_file *files, size_t count, struct arena *arena, struct command *command,
                  struct error *error)
{
    struct reader reader = {.unit = unit,
                            .files = files,
                            .arena = arena,
                            .error = error,
                            .variables = arena_zalloc(arena, MOST_VARIABLES * sizeof *reader.variables),
                            .words = arena_zalloc(arena, MOST_WORDS * sizeof *reader.words),
                            .spread = arena_zalloc(arena, MOST_VARIABLES * sizeof *reader.spread)};
    if (!reader.variables || !reader.words || !reader.spread) {
        return error_out_of_memory(error);
    }
    if (!take_files(&reader, count)) {
        return false;
    }
    if (reader.start_count != 1) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "%s: the unit has %s ExecStart=", count > 0 ? files[0].path : "",
                         reader.start_count == 0 ? "no" : "more than one");
    }
    number_variables(&reader);
    if (!take_start(&reader)) {
        return false;
    }
    *command = (struct command){.words = reader.words,
                                .count = reader.count,
                                .variables = reader.variables,
                                .variable_count = reader.variable_count,
                                .spread = reader.spread,
                                .spread_count = reader.spread_count,
                                .file = files[reader.start_file].path,
                                .line = reader.start.line,
                                .unclear = reader.unclear};
    return true;
}
