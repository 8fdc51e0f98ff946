#include "log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static struct log_settings current = {.level = LOG_SERIOUS, .format = LOG_TEXT};

void log_configure(const struct log_settings *settings)
{
    current = *settings;
}

const struct log_settings *log_settings(void)
{
    return &current;
}

bool log_enabled(int level)
{
    return level <= current.level;
}

/* UTC with milliseconds, as RFC 3339 has it. */
static void format_time(char *text, size_t size)
{
    struct timespec now;
    struct tm parts;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &parts);
    size_t used = strftime(text, size, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(text + used, size - used, ".%03ldZ", now.tv_nsec / 1000000);
}

/* A value that holds no space, quote or control character is written bare; everything else as a JSON string, so that hostile
   text cannot forge a line. */
static bool is_bare(const char *text)
{
    for (const char *c = text; *c; c++) {
        if ((unsigned char)*c <= ' ' || *c == '"' || *c == 0x7f) {
            return false;
        }
    }
    return *text != '\0';
}

static void write_text(int level, const char *time, const char *message, struct json_object *fields)
{
    struct json_object *line = json_object_new_string(message);
    const char *quoted = json_object_to_json_string_ext(line, JSON_C_TO_STRING_NOSLASHESCAPE);
    flockfile(stderr);
    fprintf(stderr, "%s %d %.*s", time, level, (int)(strlen(quoted) - 2), quoted + 1);
    if (fields) {
        json_object_object_foreach(fields, key, value)
        {
            const char *bare = json_object_is_type(value, json_type_string) ? json_object_get_string(value) : NULL;
            const char *text =
                bare && is_bare(bare)
                    ? bare
                    : json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
            fprintf(stderr, " %s=%s", key, text);
        }
    }
    fputc('\n', stderr);
    funlockfile(stderr);
    json_object_put(line);
}

static void write_json(int level, const char *time, const char *message, struct json_object *fields)
{
    struct json_object *line = json_object_new_object();
    json_object_object_add(line, "time", json_object_new_string(time));
    json_object_object_add(line, "level", json_object_new_int(level));
    json_object_object_add(line, "message", json_object_new_string(message));
    if (fields) {
        json_object_object_foreach(fields, key, value)
        {
            json_object_object_add(line, key, json_object_get(value));
        }
    }
    flockfile(stderr);
    fprintf(stderr, "%s\n", json_object_to_json_string_ext(line, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
    funlockfile(stderr);
    json_object_put(line);
}

void log_fields(int level, const char *message, struct json_object *fields)
{
    if (log_enabled(level)) {
        char time[40];
        format_time(time, sizeof time);
        (current.format == LOG_JSON ? write_json : write_text)(level, time, message, fields);
    }
    json_object_put(fields);
}

void log_line(int level, const char *format, ...)
{
    if (!log_enabled(level)) {
        return;
    }
    char message[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    log_fields(level, message, NULL);
}
