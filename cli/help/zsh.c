#include "cli/help/zsh.h"

#include <string.h>

static const char rest[] =
#include "generated/completion.zsh.inc"
    ;

/* What completes a value, for _arguments. */
static const char *const actions[] = {
    [COMPLETE_NOTHING] = " ",
    [COMPLETE_FILE] = "_files",
    [COMPLETE_FOLDER] = "_files -/",
    [COMPLETE_RUNTIME] = "_crigate_asked runtime",
    [COMPLETE_METHOD] = "_crigate_asked method",
    [COMPLETE_ID] = "_crigate_asked id",
    [COMPLETE_COMMAND] = "_crigate_commands",
};

/* Prints text for single quotes, within which _arguments and _describe take `special` for theirs. */
static void print_quoted(const char *text, const char *special, FILE *out)
{
    for (; *text; text++) {
        if (*text == '\'') {
            fputs("'\\''", out);
        } else if (*text == '\n') {
            putc(' ', out);
        } else {
            fprintf(out, strchr(special, *text) ? "\\%c" : "%c", *text);
        }
    }
}

static void print_action(enum option_completion kind, const char *words, FILE *out)
{
    if (kind == COMPLETE_WORDS) {
        fprintf(out, ":(%s)", words);
    } else {
        fprintf(out, ":%s", actions[kind]);
    }
}

static void print_option(const struct command_line *line, const struct option_row *row, FILE *out)
{
    const char *dash = line->one_dash ? "-" : "--";
    const char *equals = !row->argument ? "" : "=";
    fputs(" \\\n            ", out);
    if (row->argument) {
        fputs("'*'", out);
    }
    if (row->key < 256 && !line->one_dash) {
        if (!row->argument) {
            fprintf(out, "'(-%c --%s)'", row->key, row->name);
        }
        fprintf(out, "{-%c%s,--%s%s}", row->key, row->argument ? "+" : "", row->name, equals);
    } else {
        fprintf(out, "%s%s%s", dash, row->name, equals);
    }
    fputs("'[", out);
    print_quoted(row->help, "[]:\\", out);
    putc(']', out);
    if (row->argument) {
        putc(':', out);
        print_quoted(row->argument, ":\\", out);
        print_action(row->complete, row->words, out);
    }
    putc('\'', out);
}

static void print_operands(const struct command_line *line, FILE *out)
{
    if (line->operand != COMPLETE_NOTHING) {
        fputs(" \\\n            '1:argument", out);
        print_action(line->operand, line->operand_words, out);
        putc('\'', out);
    }
    if (line->operands_after != COMPLETE_NOTHING) {
        fputs(" \\\n            '*:argument", out);
        print_action(line->operands_after, "", out);
        putc('\'', out);
    }
}

static void print_arguments(const struct command_line *line, FILE *out)
{
    fprintf(out, "    '%s')\n        _arguments -s -S", line->command ? line->command : "");
    for (size_t i = 0; i < line->row_count; i++) {
        if (line->rows[i].help) {
            print_option(line, &line->rows[i], out);
        }
    }
    print_operands(line, out);
    fputs("\n        ;;\n", out);
}

void zsh_print(const struct command_table *table, FILE *out)
{
    fputs("#compdef crigate\n# zsh completion for crigate " CRIGATE_VERSION "; printed by `crigate completion zsh`\n\n"
          "_crigate_commands() {\n    local -a commands=(",
          out);
    for (size_t i = 0; i < table->count; i++) {
        if (table->commands[i].summary) {
            fprintf(out, "\n        '%s:", table->commands[i].name);
            print_quoted(table->commands[i].summary, ":\\", out);
            putc('\'', out);
        }
    }
    fputs("\n    )\n    _describe -t commands 'crigate command' commands\n}\n\n"
          "# _crigate_arguments COMMAND: options and arguments of a command, or of crigate itself.\n"
          "_crigate_arguments() {\n    case $1 in\n",
          out);
    print_arguments(table->itself, out);
    for (size_t i = 0; i < table->count; i++) {
        if (table->commands[i].summary) {
            print_arguments(table->commands[i].line, out);
        }
    }
    fputs("    esac\n}\n\n", out);
    fputs(rest + (rest[0] == '\n'), out);
}
