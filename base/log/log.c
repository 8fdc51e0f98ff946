#include "log.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes/shown.h"
#include "base/bytes/url_secret.h"
#include "base/bytes/utf8.h"
#include "base/json/build.h"
#include "base/system/clock.h"

static struct log_settings current = {.level = LOG_SERIOUS, .format = LOG_TEXT};
static atomic_int level_in_force = LOG_SERIOUS;
static log_sink *current_sink;

void log_configure(const struct log_settings *settings)
{
    current = *settings;
    log_set_level(settings->level);
}

int log_level(void)
{
    return atomic_load_explicit(&level_in_force, memory_order_relaxed);
}

void log_set_level(int level)
{
    atomic_store_explicit(&level_in_force, level, memory_order_relaxed);
}

void log_send_to(log_sink *sink)
{
    current_sink = sink;
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
    return level <= log_level();
}

void log_time(char *text, size_t size)
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

/* Of a JSON string: quotes need no escape in a line of text, for they end nothing there. */
static void put_message(struct bytes quoted, FILE *out)
{
    for (size_t i = 0; i < quoted.len; i++) {
        bool escape = quoted.data[i] == '\\' && i + 1 < quoted.len;
        i += escape && quoted.data[i + 1] == '"';
        putc(quoted.data[i], out);
        if (escape && quoted.data[i] == '\\') {
            putc(quoted.data[++i], out);
        }
    }
}

/* In place of a message. */
#define NO_MEMORY "(out of memory: the message is lost)"

/* Without time and level if `time` is NULL. */
static void compose_text(FILE *out, int level, const char *time, const char *message, struct json_object *fields)
{
    size_t size = 0;
    struct json_object *line = json_object_new_string(message);
    const char *quoted = json_text(line, JSON_C_TO_STRING_NOSLASHESCAPE, &size);
    if (time) {
        fprintf(out, "%s %d ", time, level);
    }
    put_message(quoted ? bytes_of(quoted + 1, size - 2) : bytes_of_string(NO_MEMORY), out);
    if (fields) {
        json_object_object_foreach(fields, key, value)
        {
            const char *bare = json_object_is_type(value, json_type_string) ? json_object_get_string(value) : NULL;
            const char *text =
                bare && is_bare(bare) ? bare : json_text(value, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &size);
            fprintf(out, " %s=%s", key, text ? text : "");
        }
    }
    json_object_put(line);
}

static void compose_json(FILE *out, int level, const char *time, const char *message, struct json_object *fields)
{
    struct json_object *line = json_object_new_object();
    if (time) {
        json_add(line, "time", json_object_new_string(time));
    }
    json_add(line, "level", json_object_new_int(level));
    json_add(line, "message", json_object_new_string(message));
    if (fields) {
        json_object_object_foreach(fields, key, value)
        {
            json_add(line, key, json_object_get(value));
        }
    }
    size_t size;
    const char *text = json_text(line, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &size);
    fputs(text ? text : "{\"message\":\"" NO_MEMORY "\"}", out);
    json_object_put(line);
}

/* ---- what must not be in a line, wherever it came from ---- */

/* One character, escaped where a terminal would obey it: DEL, what is above ASCII and is not simply shown, and what is no UTF-8
   and may be one of these elsewhere. Answers its size. */
static size_t put_character(struct bytes text, FILE *out)
{
    size_t size = utf8_character_size(text);
    uint32_t code = size > 0 ? utf8_code(bytes_of(text.data, size)) : text.data[0];
    if (size == 0 || (code >= 0x7f && !shown_code(code))) {
        fprintf(out, "\\u%04x", (unsigned)code);
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

void log_put_safe(struct bytes line, FILE *out)
{
    struct url_secret search = {.text = line};
    size_t begin, end, done = 0;
    while (url_secret_next(&search, &begin, &end)) {
        put_text(bytes_of(line.data + done, begin - done), out);
        fputs("***", out);
        done = end;
    }
    put_text(bytes_after(line, done), out);
}

/* The line as it may be seen, with its end, which the caller frees; NULL without memory. */
static char *finished_line(int level, const char *time, const char *message, struct json_object *fields, size_t *size)
{
    char *raw = NULL;
    char *clean = NULL;
    size_t raw_size = 0;
    FILE *line = open_memstream(&raw, &raw_size);
    FILE *out = open_memstream(&clean, size);
    if (line) {
        (current.format == LOG_JSON ? compose_json : compose_text)(line, level, time, message, fields);
        fclose(line);
    }
    if (out) {
        log_put_safe(bytes_of(raw, raw_size), out);
        fputc('\n', out);
        fclose(out);
    }
    free(raw);
    return clean;
}

/* ---- where it goes ---- */

/* What a sink did not take goes to a stderr that is likely as stuck: if it is a socket, without waiting. false: it, or a
   part of it, is lost. */
static bool write_unless_full(struct bytes line, enum log_priority priority)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool torn; /* the end of the last line is missing there */
    char begin[8];
    pthread_mutex_lock(&lock);
    int size = snprintf(begin, sizeof begin, "%s<%d>", torn ? "\n" : "", (int)priority);
    struct iovec pieces[] = {{begin, (size_t)size}, {(void *)(uintptr_t)line.data, line.len}};
    const struct msghdr message = {.msg_iov = pieces, .msg_iovlen = sizeof pieces / sizeof pieces[0]};
    ssize_t sent = sendmsg(STDERR_FILENO, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == ENOTSOCK) {
        sent = writev(STDERR_FILENO, pieces, sizeof pieces / sizeof pieces[0]);
    }
    bool whole = sent == size + (ssize_t)line.len;
    torn = !whole && (torn || sent > 0);
    pthread_mutex_unlock(&lock);
    return whole;
}

/* At once, so that lines of several threads stay whole. */
static bool write_to_stderr(struct bytes line, enum log_priority priority)
{
    if (current_sink) {
        return write_unless_full(line, priority);
    }
    fwrite(line.data, 1, line.len, stderr);
    return true;
}

static bool deliver(int level, enum log_priority priority, const char *message, struct json_object *fields)
{
    size_t size = 0;
    char time[LOG_TIME_SIZE];
    log_time(time, sizeof time);
    char *line = finished_line(level, current_sink ? NULL : time, message, fields, &size);
    const struct log_entry entry = {
        .level = level, .priority = priority, .message = message, .text = bytes_of(line, line ? size - 1 : 0), .fields = fields};
    bool delivered = line && ((current_sink && current_sink(&entry)) || write_to_stderr(bytes_of(line, size), priority));
    free(line);
    json_object_put(fields);
    return delivered;
}

static void write_line(int level, enum log_priority priority, const char *message, struct json_object *fields)
{
    static atomic_uint_fast64_t lost;
    if (!deliver(level, priority, message, fields)) {
        atomic_fetch_add(&lost, 1);
        return;
    }
    uint64_t count = atomic_load_explicit(&lost, memory_order_relaxed) > 0 ? atomic_exchange(&lost, 0) : 0;
    if (count > 0) {
        char text[96];
        snprintf(text, sizeof text, "%" PRIu64 " log lines were lost: they were not read in time", count);
        if (!deliver(LOG_SERIOUS, LOG_PRIORITY_WARNING, text, NULL)) {
            atomic_fetch_add(&lost, count);
        }
    }
}

static enum log_priority priority_of(int level)
{
    return level <= LOG_FAILED ? LOG_PRIORITY_WARNING : level == LOG_CHANGES ? LOG_PRIORITY_INFO : LOG_PRIORITY_DEBUG;
}

void log_write(int level, const char *message, struct json_object *fields)
{
    write_line(level, priority_of(level), message, fields);
}

void log_fields(int level, const char *message, struct json_object *fields)
{
    if (log_enabled(level)) {
        log_write(level, message, fields);
    } else {
        json_object_put(fields);
    }
}

#define MESSAGE_SIZE 2048

void log_line(int level, const char *format, ...)
{
    if (log_enabled(level)) {
        char message[MESSAGE_SIZE];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(message, sizeof message, format, arguments);
        va_end(arguments);
        log_write(level, message, NULL);
    }
}

void log_notice(const char *format, ...)
{
    if (log_enabled(LOG_SERIOUS)) {
        char message[MESSAGE_SIZE];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(message, sizeof message, format, arguments);
        va_end(arguments);
        write_line(LOG_SERIOUS, LOG_PRIORITY_NOTICE, message, NULL);
    }
}
