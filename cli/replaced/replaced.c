#include "cli/replaced/replaced.h"

#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "base/log/log.h"
#include "base/options/output.h"
#include "cli/replaced/program.h"

static const struct replaced_program *const programs[] = {&replaced_criproxy, &replaced_koord_runtime_proxy};

/* What all programs take. Their logging is that of glog or of klog, its successor, which has more options. */
enum {
    LEVEL,
    TO_STDERR,
    PRINT_CONFIG,
    HELP,
    SHORT_HELP,
};

static const struct go_flag common[] = {
    [LEVEL] = {"v", GO_FLAG_TEXT, GO_FLAG_USED, "0", NULL},
    [TO_STDERR] = {"logtostderr", GO_FLAG_SWITCH, GO_FLAG_USED, "true", NULL},
    [PRINT_CONFIG] = {"print-config", GO_FLAG_SWITCH, GO_FLAG_USED, "false", NULL},
    [HELP] = {"help", GO_FLAG_SWITCH, GO_FLAG_USED, "false", NULL},
    [SHORT_HELP] = {"h", GO_FLAG_SWITCH, GO_FLAG_USED, "false", NULL},
    {"alsologtostderr", GO_FLAG_SWITCH, GO_FLAG_USED, "false", NULL},
    {"stderrthreshold", GO_FLAG_TEXT, GO_FLAG_IGNORED, NULL, NULL},
    {"vmodule", GO_FLAG_TEXT, GO_FLAG_IGNORED, NULL, NULL},
    {"log_backtrace_at", GO_FLAG_TEXT, GO_FLAG_IGNORED, NULL, NULL},
    {"log_dir", GO_FLAG_TEXT, GO_FLAG_IGNORED, NULL, NULL},
    {"log_link", GO_FLAG_TEXT, GO_FLAG_IGNORED, NULL, NULL},
    {"logbuflevel", GO_FLAG_TEXT, GO_FLAG_IGNORED, NULL, NULL},
    {"log_file", GO_FLAG_TEXT, GO_FLAG_IGNORED, NULL, NULL},
    {"log_file_max_size", GO_FLAG_TEXT, GO_FLAG_IGNORED, NULL, NULL},
    {"add_dir_header", GO_FLAG_SWITCH, GO_FLAG_IGNORED, NULL, NULL},
    {"one_output", GO_FLAG_SWITCH, GO_FLAG_IGNORED, NULL, NULL},
    {"skip_headers", GO_FLAG_SWITCH, GO_FLAG_IGNORED, NULL, NULL},
    {"skip_log_headers", GO_FLAG_SWITCH, GO_FLAG_IGNORED, NULL, NULL},
};
#define COMMON (sizeof common / sizeof common[0])

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const struct replaced_program *replaced_program_find(int argc, char **argv)
{
    for (int word = 0; word < 2 && word < argc; word++) {
        for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
            if (strcmp(word == 0 ? last_part(argv[0]) : argv[1], programs[i]->name) == 0) {
                return programs[i];
            }
        }
    }
    return NULL;
}

/* Both logs have levels without an upper end. */
static bool read_level(const char *text, int *level)
{
    char *end;
    long value = strtol(text, &end, 10);
    value = value < LOG_SERIOUS ? LOG_SERIOUS : value;
    *level = (int)(value > LOG_LISTS ? LOG_LISTS : value);
    return end != text && *end == '\0';
}

static int write_map(const struct replaced_program *program, const char *const *values, char **map)
{
    size_t size = 0;
    FILE *out = open_memstream(map, &size);
    int status = EX_OSERR;
    if (out) {
        status = program->write_map(values, out);
        status = fclose(out) == 0 ? status : EX_OSERR;
    }
    if (status == EX_OSERR) {
        fprintf(stderr, "crigate %s: out of memory\n", program->name);
    }
    if (status >= 0) {
        free(*map);
        *map = NULL;
    }
    return status;
}

/* ---- another subcommand ---- */

/* Likewise -1 to continue, or the exit status. */
static int make_command(const struct replaced_program *program, const char *const *values, struct replaced_start *start)
{
    struct replaced_command *command = &start->command;
    char level[] = {(char)('0' + start->verbosity), '\0'};
    bool good = program->write_command(values, command) &&
                (command->count == 0 || (replaced_command_add(command, "--verbosity") && replaced_command_add(command, level)));
    if (!good) {
        fprintf(stderr, "crigate %s: out of memory\n", program->name);
        replaced_command_clear(command);
        return EX_OSERR;
    }
    if (command->count == 0 || !start->print_config) {
        return -1;
    }
    replaced_command_print(command);
    replaced_command_clear(command);
    return command_is_printed() ? EXIT_SUCCESS : EXIT_FAILURE;
}

int replaced_program_read(const struct replaced_program *program, int argc, char **argv, struct replaced_start *start)
{
    const char *own_values[REPLACED_MOST_FLAGS], *values[COMMON];
    const struct go_flag_set sets[] = {{program->flags, program->flag_count, own_values}, {common, COMMON, values}};
    *start = (struct replaced_start){.source = program->source};
    bool linked = strcmp(last_part(argv[0]), program->name) == 0;
    int status = go_flags_read(program->name, sets, 2, linked ? argc : argc - 1, linked ? argv : argv + 1);
    if (status >= 0) {
        return status;
    }
    if (strcmp(values[HELP], "true") == 0 || strcmp(values[SHORT_HELP], "true") == 0) {
        options_print_help(program->line, stdout);
        return EXIT_SUCCESS;
    }
    if (!read_level(values[LEVEL], &start->verbosity)) {
        return command_usage_error(program->name, "-v must be a number: %s", values[LEVEL]);
    }
    if (strcmp(values[TO_STDERR], "false") == 0) {
        log_line(LOG_SERIOUS, "-logtostderr=false has no meaning for crigate, which logs to standard error only");
    }
    start->print_config = strcmp(values[PRINT_CONFIG], "true") == 0;
    status = program->write_command ? make_command(program, own_values, start) : -1;
    return status >= 0 || start->command.count > 0 ? status : write_map(program, own_values, &start->map);
}
