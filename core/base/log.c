#include "log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/clock.h"
#include "translate/bytes/url_secret.h"
#include "translate/bytes/utf8.h"

static struct log_settings current = {.level = LOG_SERIOUS, .format = LOG_TEXT};

void log_configure(const struct log_settings *settings)
{
    current = *settings;
}

const struct log_settings *log_settings(void)
{
    return &current;
}

bool log_limit_allows(struct log_limit *limit, unsigned *skipped)
{
    int64_t now = clock_ns();
    if (limit->logged != 0 && now - limit->logged < NANOSECONDS_A_SECOND) {
        limit->skipped++;
        return false;
    }
    *skipped = limit->skipped;
    *limit = (struct log_limit){.logged = now};
    return true;
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

static void compose_text(FILE *out, int level, const char *time, const char *message, struct json_object *fields)
{
    struct json_object *line = json_object_new_string(message);
    const char *quoted = json_object_to_json_string_ext(line, JSON_C_TO_STRING_NOSLASHESCAPE);
    fprintf(out, "%s %d %.*s", time, level, (int)(strlen(quoted) - 2), quoted + 1);
    if (fields) {
        json_object_object_foreach(fields, key, value)
        {
            const char *bare = json_object_is_type(value, json_type_string) ? json_object_get_string(value) : NULL;
            const char *text =
                bare && is_bare(bare)
                    ? bare
                    : json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
            fprintf(out, " %s=%s", key, text);
        }
    }
    json_object_put(line);
}

static void compose_json(FILE *out, int level, const char *time, const char *message, struct json_object *fields)
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
    fputs(json_object_to_json_string_ext(line, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE), out);
    json_object_put(line);
}

/* ---- what must not be in a line, wherever it came from ---- */

/* One character, escaped where a terminal would obey it: DEL, the control characters above ASCII, and what is no UTF-8 and may be
   one of them elsewhere. Answers its size. */
static size_t put_character(struct bytes text, FILE *out)
{
    size_t size = utf8_character_size(text);
    unsigned code = size == 2 && text.data[0] == 0xc2 ? text.data[1] : text.data[0];
    bool control = code >= 0x7f && code < 0xa0;
    if (size == 0 || control) {
        fprintf(out, "\\u%04x", code);
    } else {
        fwrite(text.data, 1, size, out);
    }
    return size > 0 ? size : 1;
}

static void put_text(struct bytes text, FILE *out)
{
    while (text.len > 0) {
        text = bytes_after(text, put_character(text, out));
    }
}

static void put_line(struct bytes line, FILE *out)
{
    struct url_secret search = {.text = line};
    size_t begin, end, done = 0;
    while (url_secret_next(&search, &begin, &end)) {
        put_text(bytes_of(line.data + done, begin - done), out);
        fputs("***", out);
        done = end;
    }
    put_text(bytes_after(line, done), out);
    fputc('\n', out);
}

/* The line as it may be seen, which the caller frees; NULL without memory. */
static char *finished_line(int level, const char *message, struct json_object *fields, size_t *size)
{
    char *raw = NULL;
    char *clean = NULL;
    size_t raw_size = 0;
    char time[40];
    FILE *line = open_memstream(&raw, &raw_size);
    FILE *out = open_memstream(&clean, size);
    format_time(time, sizeof time);
    if (line) {
        (current.format == LOG_JSON ? compose_json : compose_text)(line, level, time, message, fields);
        fclose(line);
    }
    if (out) {
        put_line(bytes_of(raw, raw_size), out);
        fclose(out);
    }
    free(raw);
    return clean;
}

void log_fields(int level, const char *message, struct json_object *fields)
{
    size_t size;
    char *line = log_enabled(level) ? finished_line(level, message, fields, &size) : NULL;
    if (line) {
        fwrite(line, 1, size, stderr); /* at once, so that lines of several threads stay whole */
        free(line);
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
