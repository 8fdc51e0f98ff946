/* The log: lines on stderr or for a sink, as text or JSON, up to a level. Safe from any thread. */
#pragma once

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/bytes/bytes.h"

/* Levels, with the meaning that operators know from criproxy. */
enum log_level {
    LOG_SILENT = 0,
    LOG_SERIOUS = 1, /* start-up, runtimes that come and go, serious errors */
    LOG_FAILED = 2,  /* calls that failed */
    LOG_CHANGES = 3, /* calls that change state, with request and response */
    LOG_STATUS = 4,  /* status calls */
    LOG_LISTS = 5,   /* lists */
};

enum log_format {
    LOG_TEXT,
    LOG_JSON,
};

struct log_settings {
    int level;
    enum log_format format;
    bool environment_values; /* show values of container environments */
};

/* Set once, before threads are started. The default is level 1, text. */
void log_configure(const struct log_settings *settings);

const struct log_settings *log_settings(void);

/* The level in force: that of the settings, unless another one was set since. May be set at any time. */
int log_level(void);
void log_set_level(int level);

/* Whether a line of that level would be written; ask before building an expensive one. */
bool log_enabled(int level);

/* Writes one line: time, level, text. */
void log_line(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same at level 1, about something that is as it should be: a start, a runtime that is ready. Other lines of that level are
   warnings for those who read priorities. */
void log_notice(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Keeps lines about one thing to one a second. Zero-initialised: none was written yet. Not safe from two threads at once. */
struct log_limit {
    int64_t logged;   /* clock_ns() of the last line; 0: none */
    unsigned skipped; /* since then, without a line */
};

/* Whether a line may be written now; then `skipped` gets how many could not since the last one. */
bool log_limit_allows(struct log_limit *limit, unsigned *skipped);

/* Writes one line with fields. Control characters in them are escaped, and the user name and password of a URL are hidden
   (url_secret.h).
   `fields` is a JSON object whose members follow the text as key=value, or are members of the line's own object. Takes over the
   caller's reference of `fields`, which may be NULL. */
void log_fields(int level, const char *message, struct json_object *fields);

/* The same whatever the level in force is: for those who decided by themselves that it is to be written. */
void log_write(int level, const char *message, struct json_object *fields);

/* Writes what time it is: UTC with milliseconds, as RFC 3339 has it. */
#define LOG_TIME_SIZE 40
void log_time(char *text, size_t size);

/* ---- where lines go ---- */

/* As in syslog(3), which journald and others sort by. */
enum log_priority {
    LOG_PRIORITY_WARNING = 4, /* level 1, unless it is a notice; calls that failed */
    LOG_PRIORITY_NOTICE = 5,
    LOG_PRIORITY_INFO = 6,  /* calls that change state */
    LOG_PRIORITY_DEBUG = 7, /* other calls */
};

/* One line for a sink; borrowed for the time of a call. */
struct log_entry {
    int level;
    enum log_priority priority;
    const char *message;        /* as received, without fields */
    struct bytes text;          /* with fields, without time, level and end of line; as JSON if that is the format. May be seen */
    struct json_object *fields; /* as log_fields got them: log_put_safe makes what is in them fit to be seen. NULL: none */
};

/* Takes a line. false: it could not; then the line goes to stderr, after "<N>", N being its priority. If stderr is a socket, that
   does not wait either: the caller may be the worker. Lines that are lost so are counted, and a later line has their number. */
typedef bool log_sink(const struct log_entry *entry);

/* Has lines go to `sink`, called from any thread. NULL: to stderr, as at the beginning. Before threads are started. */
void log_send_to(log_sink *sink);

/* Writes text that came from anywhere: control characters are escaped, and the user name and password of a URL are hidden. */
void log_put_safe(struct bytes text, FILE *out);
