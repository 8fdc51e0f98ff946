#include "node/systemd/started.h"

#include <stdio.h>
#include <string.h>

#include "node/systemd/shell.h"

/* Programs that start another one with other settings, and become it. */
static const char *const starters[] = {
    "catatonit", "cgexec",      "choom",           "chrt",      "dumb-init", "env",     "flock",   "ionice",
    "nice",      "nohup",       "numactl",         "prlimit",   "runcon",    "setarch", "setpriv", "setsid",
    "stdbuf",    "systemd-cat", "systemd-inhibit", "taskset",   "time",      "timeout", "tini",    "unshare",
    "linux64",   "chronic",     "logger",          "softlimit", "capsh",     "strace",
};

static const char *const shells[] = {"ash", "bash", "dash", "ksh", "sh", "zsh"};

/* Programs that have a kubelet's options on their command line, or a kubelet in them. */
static const char *const kubelets[] = {"hyperkube", "k3s", "k3s-agent", "kubelet", "rke2"};

static bool is_among(const char *word, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(basename(word), names[i]) == 0) {
            return true;
        }
    }
    return false;
}

#define IS_AMONG(word, names) is_among(word, names, sizeof(names) / sizeof(names)[0])

/* The first word with one of those names that is the program, or follows a program that only starts another one. */
static size_t find(const struct command *command, const char *const *names, size_t name_count)
{
    for (size_t i = 0; i < command->count; i++) {
        if (is_among(command->words[i].text, names, name_count)) {
            return i;
        }
        if (i == 0 && !IS_AMONG(command->words[0].text, starters)) {
            break;
        }
    }
    return command->count;
}

size_t started_program(const struct command *command)
{
    size_t program = find(command, kubelets, sizeof kubelets / sizeof kubelets[0]);
    return program < command->count ? program : 0;
}

bool started_is_kubelet(const struct command *command, size_t program)
{
    return program < command->count &&
           (IS_AMONG(command->words[program].text, kubelets) ||
            (program + 1 < command->count && strcmp(command->words[program + 1].text, "kubelet") == 0));
}

/* ---- shells ---- */

/* The word of the script: behind "-c", or other letters with it. 0: there is none. */
static size_t find_script(const struct command *command, size_t shell)
{
    size_t at = shell + 1;
    for (bool found = false; at < command->count; at++) {
        const char *word = command->words[at].text;
        if (word[0] != '-' && word[0] != '+') {
            return found ? at : 0;
        }
        found = found || (word[0] == '-' && word[1] != '-' && strchr(word, 'c'));
    }
    return 0;
}

static bool note(struct command *command, const char *what, const char *more, struct arena *arena, struct error *error)
{
    char text[ERROR_MESSAGE_SIZE];
    snprintf(text, sizeof text, "%s:%u starts %s%s", command->file, command->line, what[0] ? what : "nothing", more);
    command->unclear = command->unclear ? command->unclear : arena_string(arena, bytes_of_string(text));
    return command->unclear || error_out_of_memory(error);
}

/* Puts the script's words into the place of the shell and its own. */
static bool replace(struct command *command, size_t shell, const struct shell_command *script, struct arena *arena,
                    struct error *error)
{
    struct traced_text *words = arena_zalloc(arena, (shell + script->count) * sizeof *words);
    size_t spread_count = command->spread_count + script->spread_count;
    const char **spread = arena_zalloc(arena, (spread_count + 1) * sizeof *spread);
    if (!words || !spread) {
        return error_out_of_memory(error);
    }
    memcpy(words, command->words, shell * sizeof *words);
    memcpy(words + shell, script->words, script->count * sizeof *words);
    for (size_t i = 0; i < spread_count; i++) {
        spread[i] = i < command->spread_count ? command->spread[i] : script->spread[i - command->spread_count];
    }
    command->words = words;
    command->count = shell + script->count;
    command->spread = spread;
    command->spread_count = spread_count;
    return true;
}

bool started_read_shell(struct command *command, struct arena *arena, struct error *error)
{
    size_t shell = find(command, shells, sizeof shells / sizeof shells[0]);
    size_t script = shell < command->count ? find_script(command, shell) : 0;
    struct shell_command read;
    if (script == 0) {
        return true;
    }
    if (!shell_read(command, command->words[script], arena, &read, error)) {
        return false;
    }
    return read.strange ? note(command, "a shell script with ", read.strange, arena, error)
                        : replace(command, shell, &read, arena, error);
}

bool started_explain(struct command *command, size_t program, struct arena *arena, struct error *error)
{
    char more[ERROR_MESSAGE_SIZE] = "";
    const char *word = program < command->count ? command->words[program].text : "";
    const char *next = program + 1 < command->count ? command->words[program + 1].text : "";
    bool script = IS_AMONG(word, shells) && next[0] != '-' && next[0] != '\0';
    snprintf(more, sizeof more, "%s%s, which is not a kubelet and starts one in its own way", script ? " " : "",
             script ? next : "");
    return command->unclear || started_is_kubelet(command, program) || note(command, word, more, arena, error);
}
