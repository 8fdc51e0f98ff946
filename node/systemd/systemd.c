#include "node/systemd/systemd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "node/systemd/run.h"

#define SHOW_TIMEOUT 15000 /* milliseconds */
#define MOST_PATHS 256
#define MICROSECOND 1000 /* nanoseconds */

bool systemd_is_running(void)
{
    struct stat status;
    return lstat("/run/systemd/system", &status) == 0 && S_ISDIR(status.st_mode);
}

/* The part of the text before the character, or all of it; the text then begins behind it. */
static struct bytes cut(struct bytes *text, char at)
{
    const uint8_t *end = text->len > 0 ? memchr(text->data, at, text->len) : NULL;
    struct bytes part = bytes_of(text->data, end ? (size_t)(end - text->data) : text->len);
    *text = bytes_after(*text, end ? part.len + 1 : part.len);
    return part;
}

/* Adds a path to a list that the arena has room for. */
static bool add_path(const char **paths, size_t *count, struct bytes path, struct arena *arena)
{
    if (path.len == 0 || *count == MOST_PATHS) {
        return true;
    }
    paths[*count] = arena_string(arena, path);
    return paths[(*count)++] != NULL;
}

/* "/etc/default/kubelet (ignore_errors=yes)", perhaps several of them in one line. */
static bool add_environment_files(struct bytes value, const char **paths, size_t *count, struct arena *arena)
{
    static const char mark[] = " (ignore_errors=";
    while (value.len > 0) {
        const uint8_t *end = memmem(value.data, value.len, mark, strlen(mark));
        size_t len = end ? (size_t)(end - value.data) : value.len;
        if (!add_path(paths, count, bytes_of(value.data, len), arena)) {
            return false;
        }
        value = bytes_after(value, len);
        cut(&value, ')');
        while (value.len > 0 && value.data[0] == ' ') {
            value = bytes_after(value, 1);
        }
    }
    return true;
}

/* What systemctl writes for a byte that would end the path: "\\x20", "\\ ", and letters for control characters. */
static char unescape(struct bytes *value)
{
    char digits[3] = "";
    char c = (char)value->data[0];
    *value = bytes_after(*value, 1);
    if (c == 'x' && value->len >= 2) {
        memcpy(digits, value->data, 2);
        *value = bytes_after(*value, 2);
        return (char)strtol(digits, NULL, 16);
    }
    return c == 'n' ? '\n' : c == 't' ? '\t' : c;
}

/* A path up to the next blank. Releases of systemd before 230 print blanks in it as they are, those up to 238 escape them, later
   ones put the path in quotes. A blank before anything but the next absolute path is part of this one. */
static bool next_path(struct bytes *value, struct arena *arena, struct bytes *path)
{
    uint8_t *text = arena_alloc(arena, value->len + 1);
    char quote = '\0';
    size_t len = 0;
    while (text && value->len > 0) {
        char c = (char)value->data[0];
        bool ends = c == ' ' && !quote && (value->len == 1 || strchr("/\"'$", value->data[1]));
        *value = bytes_after(*value, 1);
        if (ends) {
            break;
        }
        if (c == '\\' && value->len > 0) {
            text[len++] = (uint8_t)unescape(value);
        } else if (quote ? c == quote : (c == '"' || c == '\'') && len == 0) {
            quote = quote ? '\0' : c;
        } else if (c != '$' || len > 0 || value->len == 0 || value->data[0] != '\'') {
            text[len++] = (uint8_t)c;
        }
    }
    *path = bytes_of(text, len);
    return text != NULL;
}

static bool add_drop_ins(struct bytes value, const char **paths, size_t *count, struct arena *arena)
{
    struct bytes path;
    while (value.len > 0) {
        if (!next_path(&value, arena, &path) || !add_path(paths, count, path, arena)) {
            return false;
        }
    }
    return true;
}

static int64_t number_of(struct bytes value)
{
    char number[24] = "";
    memcpy(number, value.data, value.len < sizeof number - 1 ? value.len : sizeof number - 1);
    return strtoll(number, NULL, 10);
}

/* What a property may be. */
struct shown {
    struct systemd_unit *unit;
    const char **drop_ins, **environment_files;
    struct arena *arena;
};

static bool take(struct shown *shown, const char *name, struct bytes value)
{
    struct systemd_unit *unit = shown->unit;
    const struct {
        const char *name;
        const char **text;
    } texts[] = {{"ActiveState", &unit->active},
                 {"UnitFileState", &unit->enabled},
                 {"FragmentPath", &unit->fragment},
                 {"SystemCallFilter", &unit->system_calls}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (strcmp(name, texts[i].name) == 0) {
            *texts[i].text = arena_string(shown->arena, value);
            return *texts[i].text != NULL;
        }
    }
    if (strcmp(name, "LoadState") == 0) {
        unit->loaded = bytes_equal(value, bytes_of_string("loaded")) || bytes_equal(value, bytes_of_string("masked"));
    } else if (strcmp(name, "NeedDaemonReload") == 0) {
        unit->needs_reload = bytes_equal(value, bytes_of_string("yes"));
    } else if (strcmp(name, "MainPID") == 0) {
        unit->main_pid = (pid_t)number_of(value);
    } else if (strcmp(name, "NRestarts") == 0) {
        unit->restarts = (unsigned)number_of(value);
    } else if (strcmp(name, "ExecMainStartTimestampMonotonic") == 0) {
        unit->main_started = number_of(value) * MICROSECOND;
    } else if (strcmp(name, "DropInPaths") == 0) {
        return add_drop_ins(value, shown->drop_ins, &unit->drop_in_count, shown->arena);
    } else if (strcmp(name, "EnvironmentFiles") == 0 || strcmp(name, "EnvironmentFile") == 0) { /* before systemd 233 */
        return add_environment_files(value, shown->environment_files, &unit->environment_file_count, shown->arena);
    }
    return true;
}

bool systemd_read_show(const char *unit, struct bytes text, struct arena *arena, struct systemd_unit *read, struct error *error)
{
    struct shown shown = {.unit = read,
                          .drop_ins = arena_zalloc(arena, MOST_PATHS * sizeof(char *)),
                          .environment_files = arena_zalloc(arena, MOST_PATHS * sizeof(char *)),
                          .arena = arena};
    *read = (struct systemd_unit){.name = arena_string(arena, bytes_of_string(unit)),
                                  .restarts = 1,
                                  .active = "",
                                  .enabled = "",
                                  .fragment = "",
                                  .system_calls = "",
                                  .drop_ins = shown.drop_ins,
                                  .environment_files = shown.environment_files};
    if (!read->name || !shown.drop_ins || !shown.environment_files) {
        return error_out_of_memory(error);
    }
    while (text.len > 0) {
        struct bytes line = cut(&text, '\n');
        char name[32];
        struct bytes key = cut(&line, '=');
        if (key.len < sizeof name && key.len > 0) {
            memcpy(name, key.data, key.len);
            name[key.len] = '\0';
            if (!take(&shown, name, line)) {
                return error_out_of_memory(error);
            }
        }
    }
    return true;
}

bool systemd_show(const char *unit, struct arena *arena, struct systemd_unit *shown, struct error *error)
{
    const char *const arguments[] = {
        "systemctl",
        "show",
        "--no-pager",
        "--property=LoadState,ActiveState,UnitFileState,MainPID,NRestarts,ExecMainStartTimestampMonotonic,"
        "FragmentPath,DropInPaths,EnvironmentFiles,SystemCallFilter,NeedDaemonReload",
        "--",
        unit,
        NULL,
    };
    struct run_result result;
    if (!run_program(arguments, SHOW_TIMEOUT, arena, &result, error)) {
        return false;
    }
    if (!WIFEXITED(result.status) || WEXITSTATUS(result.status) != 0) {
        return error_set(error, STATUS_UNAVAILABLE, "systemctl show %s: %s", unit, result.complaint);
    }
    return systemd_read_show(unit, result.out, arena, shown, error);
}

unsigned systemd_read_release(struct bytes text)
{
    static const char begin[] = "systemd ";
    return bytes_start_with(text, bytes_of_string(begin)) ? (unsigned)number_of(bytes_after(text, strlen(begin))) : 0;
}

unsigned systemd_release(struct arena *arena)
{
    const char *const arguments[] = {"systemctl", "--version", NULL};
    struct run_result result;
    return run_program(arguments, SHOW_TIMEOUT, arena, &result, NULL) ? systemd_read_release(result.out) : 0;
}

/* Whether no program could run: each one reads. */
static bool lets_nothing_through(const char *system_calls)
{
    static const char needed[] = "read";
    size_t len = strlen(needed);
    for (const char *at = system_calls; (at = strstr(at, needed)); at += len) {
        if ((at == system_calls || at[-1] == ' ') && (at[len] == '\0' || at[len] == ' ')) {
            return false;
        }
    }
    return system_calls[0] != '\0' && system_calls[0] != '~';
}

const char *systemd_obstacle(unsigned release, const struct systemd_unit *unit, struct arena *arena)
{
    char text[256] = "";
    if (release > 0 && release < SYSTEMD_OLDEST) {
        snprintf(text, sizeof text, "systemd %u is too old: crigate needs %u or later", release, SYSTEMD_OLDEST);
    } else if (unit->loaded && unit->system_calls && lets_nothing_through(unit->system_calls)) {
        snprintf(text, sizeof text,
                 "%s cannot start: systemd %u does not know what its SystemCallFilter= allows, and blocks all system calls "
                 "(systemctl cat %s)",
                 unit->name, release, unit->name);
    }
    return text[0] ? arena_string(arena, bytes_of_string(text)) : NULL;
}

bool systemd_state_is(const char *state, const char *word)
{
    return state && strcmp(state, word) == 0;
}

bool systemd_do(const char *verb, const char *unit, unsigned timeout, struct error *error)
{
    const char *const arguments[] = {"systemctl", "--no-ask-password", verb, unit ? "--" : NULL, unit, NULL};
    const char *what = unit ? unit : "";
    const char *blank = unit ? " " : "";
    struct arena *arena = arena_new((size_t)4 << 20);
    struct run_result result;
    if (!arena) {
        return error_out_of_memory(error);
    }
    bool good = run_program(arguments, timeout, arena, &result, error);
    if (!good) {
        error_wrap(error, "systemctl %s%s%s", verb, blank, what);
    } else if (!WIFEXITED(result.status) || WEXITSTATUS(result.status) != 0) {
        good = error_set(error, STATUS_FAILED_PRECONDITION, "systemctl %s%s%s: %s", verb, blank, what,
                         result.complaint[0] ? result.complaint : "it failed without a message");
    }
    arena_unref(arena);
    return good;
}
