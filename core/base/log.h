/* The log: lines on stderr, as text or JSON, up to a level. Safe from any thread. */
#pragma once

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

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

/* Whether a line of that level would be written; ask before building an expensive one. */
bool log_enabled(int level);

/* Writes one line: time, level, text. */
void log_line(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Keeps lines about one thing to one a second. Zero-initialised: none was written yet. Not safe from two threads at once. */
struct log_limit {
    int64_t logged;   /* clock_ns() of the last line; 0: none */
    unsigned skipped; /* since then, without a line */
};

/* Whether a line may be written now; then `skipped` gets how many could not since the last one. */
bool log_limit_allows(struct log_limit *limit, unsigned *skipped);

/* Writes one line with fields. Control characters in them are escaped, and user and password of a URL are hidden
   (url_secret.h).
   `fields` is a JSON object whose members follow the text as key=value, or are members of the line's own object. Takes over the
   caller's reference of `fields`, which may be NULL. */
void log_fields(int level, const char *message, struct json_object *fields);
