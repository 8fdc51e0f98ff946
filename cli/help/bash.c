#include "cli/help/bash.h"

#include <stdbool.h>
#include <string.h>

static const char rest[] =
#include "generated/completion.bash.inc"
    ;

/* How the script calls what completes a value. */
static const char *const kinds[] = {
    [COMPLETE_NOTHING] = "nothing", [COMPLETE_FILE] = "file",     [COMPLETE_FOLDER] = "folder", [COMPLETE_WORDS] = "words:",
    [COMPLETE_RUNTIME] = "runtime", [COMPLETE_METHOD] = "method", [COMPLETE_ID] = "id",         [COMPLETE_COMMAND] = "command",
};

static const char *name_of(const struct command_line *line)
{
    return line->command ? line->command : "";
}

static void print_kind(enum option_completion kind, const char *words, FILE *out)
{
    fprintf(out, "echo '%s%s'", kinds[kind], kind == COMPLETE_WORDS ? words : "");
}

static void print_commands(const struct command_table *table, FILE *out)
{
    fputs("_crigate_commands() {\n    echo '", out);
    const char *space = "";
    for (size_t i = 0; i < table->count; i++) {
        if (table->commands[i].summary) {
            fprintf(out, "%s%s", space, table->commands[i].name);
            space = " ";
        }
    }
    fputs("'\n}\n\n", out);
}

/* The names of an option as a command line has them, short one first. */
static void print_names(const struct command_line *line, const struct option_row *row, const char *between, FILE *out)
{
    if (row->key < 256 && !line->one_dash) {
        fprintf(out, "-%c%s", row->key, between);
    }
    fprintf(out, "%s%s", line->one_dash ? "-" : "--", row->name);
}

static void print_options_of(const struct command_line *line, FILE *out)
{
    fprintf(out, "    '%s') echo '", name_of(line));
    const char *space = "";
    for (size_t i = 0; i < line->row_count; i++) {
        if (line->rows[i].help) {
            fputs(space, out);
            print_names(line, &line->rows[i], " ", out);
            space = " ";
        }
    }
    fputs("' ;;\n", out);
}

static void print_kinds_of(const struct command_line *line, FILE *out)
{
    for (size_t i = 0; i < line->row_count; i++) {
        const struct option_row *row = &line->rows[i];
        if (row->help && row->argument) {
            char between[64];
            snprintf(between, sizeof between, "' | '%s ", name_of(line));
            fprintf(out, "    '%s ", name_of(line));
            print_names(line, row, between, out);
            fputs("') ", out);
            print_kind(row->complete, row->words, out);
            fputs(" ;;\n", out);
        }
    }
}

static void print_operands_of(const struct command_line *line, FILE *out)
{
    if (line->operand != COMPLETE_NOTHING) {
        fprintf(out, "    '%s 1') ", name_of(line));
        print_kind(line->operand, line->operand_words, out);
        fputs(" ;;\n", out);
    }
    if (line->operands_after != COMPLETE_NOTHING) {
        fprintf(out, "    '%s '[2-9]*) ", name_of(line));
        print_kind(line->operands_after, "", out);
        fputs(" ;;\n", out);
    }
}

/* A function with a case for each command. */
static void print_function(const struct command_table *table, const char *comment, const char *name, const char *subject,
                           void (*print)(const struct command_line *line, FILE *out), FILE *out)
{
    fprintf(out, "# %s\n%s() {\n    case %s in\n", comment, name, subject);
    print(table->itself, out);
    for (size_t i = 0; i < table->count; i++) {
        if (table->commands[i].summary) {
            print(table->commands[i].line, out);
        }
    }
    fputs("    esac\n}\n\n", out);
}

void bash_print(const struct command_table *table, FILE *out)
{
    fputs("# bash completion for crigate " CRIGATE_VERSION "; printed by `crigate completion bash`\n\n", out);
    print_commands(table, out);
    print_function(table, "_crigate_options COMMAND: the options of a command, or of crigate itself.", "_crigate_options", "$1",
                   print_options_of, out);
    print_function(table, "_crigate_kind COMMAND OPTION: what completes the value of an option; nothing if it has none.",
                   "_crigate_kind", "\"$1 $2\"", print_kinds_of, out);
    print_function(table, "_crigate_operand COMMAND NUMBER: what completes that argument.", "_crigate_operand", "\"$1 $2\"",
                   print_operands_of, out);
    fputs(rest + (rest[0] == '\n'), out);
}
