#include "base/log/audit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json/build.h"
#include "base/log/log.h"
#include "base/system/clock.h"
#include "base/system/descriptor.h"

#define CLOSE_MS 1000
#define OPEN_MS 1000

struct audit {
    char *path;
    pthread_mutex_t lock;
    pthread_cond_t wake;    /* the thread: there is something to do */
    pthread_cond_t changed; /* who opens and who closes: one of the next two is true */
    bool tried;             /* to open the file for the first time */
    bool has_ended;
    bool is_open;
    bool is_late;         /* nobody waits for the first time any more */
    struct error failure; /* of that first time */
    char *lines[AUDIT_LINES];
    size_t first;
    size_t count;
    size_t bytes; /* that wait */
    bool closing;
    bool abandoned; /* the thread frees everything */
    bool reopen;
    atomic_uint_fast64_t lost;

    /* The thread's own. */
    int fd;
    bool torn; /* the end of the last line is missing in the file */
    struct log_limit failures;
};

/* ---- the file ---- */

/* -1 with an error. O_NONBLOCK: a pipe in its place must not block. */
static int open_file(const char *path, struct error *error)
{
    struct stat status;
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);
    if (fd < 0) {
        error_set(error, errno == ELOOP || errno == ENXIO ? STATUS_INVALID_ARGUMENT : STATUS_UNAVAILABLE,
                  "audit: cannot open %s: %s", path, strerror(errno));
    } else if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink != 1) {
        error_set(error, STATUS_INVALID_ARGUMENT, "audit: %s is not a regular file with a single name", path);
        descriptor_close(&fd);
    }
    return fd;
}

static void report(struct audit *audit, const char *what, const char *why)
{
    unsigned skipped;
    if (log_limit_allows(&audit->failures, &skipped)) {
        log_line(LOG_SERIOUS, "audit: %s %s: %s; see crigate status for how many lines are lost", what, audit->path, why);
    }
}

static void open_again(struct audit *audit)
{
    struct error error;
    int fd = open_file(audit->path, &error);
    if (fd < 0) {
        log_line(LOG_SERIOUS, "%s; still writing to the file that was open before", error.message);
        return;
    }
    descriptor_close(&audit->fd);
    audit->fd = fd;
    audit->torn = false;
}

/* What a full disk has cut off is followed by a line's end, before the next line. */
static void write_text(struct audit *audit, const char *text)
{
    size_t size = strlen(text);
    if (audit->fd < 0) {
        atomic_fetch_add(&audit->lost, 1);
        return;
    }
    if (audit->torn && write(audit->fd, "\n", 1) == 1) {
        audit->torn = false;
    }
    ssize_t written = audit->torn ? -1 : write(audit->fd, text, size);
    if (written != (ssize_t)size) {
        audit->torn = audit->torn || written > 0;
        atomic_fetch_add(&audit->lost, 1);
        report(audit, "cannot write to", written >= 0 ? "no space left" : strerror(errno));
    }
}

/* ---- the thread ---- */

static void free_audit(struct audit *audit)
{
    for (; audit->count > 0; audit->count--, audit->first++) {
        free(audit->lines[audit->first % AUDIT_LINES]);
    }
    descriptor_close(&audit->fd);
    pthread_mutex_destroy(&audit->lock);
    pthread_cond_destroy(&audit->wake);
    pthread_cond_destroy(&audit->changed);
    free(audit->path);
    free(audit);
}

/* Under the lock, which is not held while the disk works. */
static void do_one(struct audit *audit)
{
    bool reopen = audit->reopen;
    char *text = NULL;
    audit->reopen = false;
    if (audit->count > 0) {
        text = audit->lines[audit->first];
        audit->first = (audit->first + 1) % AUDIT_LINES;
        audit->count--;
        audit->bytes -= strlen(text);
    }
    pthread_mutex_unlock(&audit->lock);
    if (reopen) {
        open_again(audit);
    }
    if (text) {
        write_text(audit, text);
        free(text);
    }
    pthread_mutex_lock(&audit->lock);
    audit->is_open = audit->fd >= 0;
}

/* Who waits for it reports a failure; later there is only the log. */
static void open_first(struct audit *audit)
{
    struct error error = {0};
    int fd = open_file(audit->path, &error);
    pthread_mutex_lock(&audit->lock);
    audit->fd = fd;
    audit->is_open = fd >= 0;
    audit->failure = error;
    audit->tried = true;
    if (audit->is_late && fd < 0) {
        log_line(LOG_SERIOUS, "%s; its lines are lost until SIGUSR1 makes crigate try again", error.message);
    }
    pthread_cond_signal(&audit->changed);
    pthread_mutex_unlock(&audit->lock);
}

static void *run(void *state)
{
    struct audit *audit = state;
    open_first(audit);
    pthread_mutex_lock(&audit->lock);
    while (!audit->abandoned && (audit->count > 0 || audit->reopen || !audit->closing)) {
        if (audit->count > 0 || audit->reopen) {
            do_one(audit);
        } else {
            pthread_cond_wait(&audit->wake, &audit->lock);
        }
    }
    bool abandoned = audit->abandoned;
    audit->has_ended = true;
    pthread_cond_signal(&audit->changed);
    pthread_mutex_unlock(&audit->lock);
    if (abandoned) {
        free_audit(audit);
    }
    return NULL;
}

static bool start(struct audit *audit)
{
    pthread_t thread;
    pthread_attr_t detached;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    bool started = pthread_create(&thread, &detached, run, audit) == 0;
    pthread_attr_destroy(&detached);
    return started;
}

/* ---- from outside ---- */

/* Until the thread has tried to open the file, for a while at most. false: it could not; then the thread ends by itself. */
static bool wait_for_file(struct audit *audit, struct error *error)
{
    struct timespec deadline = clock_deadline(OPEN_MS);
    pthread_mutex_lock(&audit->lock);
    while (!audit->tried && pthread_cond_timedwait(&audit->changed, &audit->lock, &deadline) == 0) {
    }
    bool failed = audit->tried && !audit->is_open;
    audit->is_late = !audit->tried;
    audit->abandoned = failed;
    if (failed) {
        *error = audit->failure;
        pthread_cond_signal(&audit->wake);
    }
    pthread_mutex_unlock(&audit->lock);
    return !failed;
}

struct audit *audit_open(const char *path, struct error *error)
{
    struct audit *audit = calloc(1, sizeof *audit);
    if (!audit) {
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "audit: out of memory");
        return NULL;
    }
    audit->fd = -1;
    audit->path = strdup(path);
    pthread_mutex_init(&audit->lock, NULL);
    pthread_cond_init(&audit->wake, NULL);
    clock_init_condition(&audit->changed);
    if (!audit->path || !start(audit)) {
        free_audit(audit);
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "audit: not enough memory, or cannot start a thread");
        return NULL;
    }
    return wait_for_file(audit, error) ? audit : NULL;
}

static char *text_of(struct json_object *line)
{
    size_t size = 0, length = 0;
    char *text = NULL;
    const char *json = json_text(line, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &length);
    FILE *out = json ? open_memstream(&text, &size) : NULL;
    if (out) {
        log_put_safe(bytes_of(json, length), out);
        fputc('\n', out);
        fclose(out);
    }
    return text;
}

void audit_write(struct audit *audit, struct json_object *line)
{
    char *text = text_of(line);
    size_t size = text ? strlen(text) : 0;
    json_object_put(line);
    pthread_mutex_lock(&audit->lock);
    if (text && audit->count < AUDIT_LINES && audit->bytes + size <= AUDIT_BYTES) {
        audit->lines[(audit->first + audit->count++) % AUDIT_LINES] = text;
        audit->bytes += size;
        text = NULL;
        pthread_cond_signal(&audit->wake);
    } else {
        atomic_fetch_add(&audit->lost, 1);
    }
    pthread_mutex_unlock(&audit->lock);
    free(text);
}

void audit_reopen(struct audit *audit)
{
    pthread_mutex_lock(&audit->lock);
    audit->reopen = true;
    pthread_cond_signal(&audit->wake);
    pthread_mutex_unlock(&audit->lock);
}

uint64_t audit_lost(const struct audit *audit)
{
    return atomic_load(&audit->lost);
}

bool audit_is_open(struct audit *audit)
{
    pthread_mutex_lock(&audit->lock);
    bool is_open = audit->is_open;
    pthread_mutex_unlock(&audit->lock);
    return is_open;
}

void audit_close(struct audit *audit)
{
    if (!audit) {
        return;
    }
    struct timespec deadline = clock_deadline(CLOSE_MS);
    pthread_mutex_lock(&audit->lock);
    audit->closing = true;
    pthread_cond_signal(&audit->wake);
    while (!audit->has_ended && pthread_cond_timedwait(&audit->changed, &audit->lock, &deadline) == 0) {
    }
    bool ended = audit->has_ended;
    audit->abandoned = !ended;
    pthread_mutex_unlock(&audit->lock);
    if (ended) {
        free_audit(audit);
    }
}

/* ---- the file of the process ---- */

static pthread_mutex_t own_lock = PTHREAD_MUTEX_INITIALIZER;
static struct audit *own;
static char *own_path; /* that the map names; NULL: none */
static atomic_bool own_is_on;
static uint64_t own_lost; /* while it could not be opened, and of files before this one */

bool audit_use(const char *path, struct error *error)
{
    if (own && path && strcmp(path, own->path) == 0) {
        return true;
    }
    struct audit *next = path ? audit_open(path, error) : NULL;
    char *copy = path ? strdup(path) : NULL;
    pthread_mutex_lock(&own_lock);
    struct audit *last = own;
    own_lost += last ? audit_lost(last) : 0;
    own = next;
    free(own_path);
    own_path = copy;
    atomic_store(&own_is_on, path != NULL);
    pthread_mutex_unlock(&own_lock);
    audit_close(last);
    return next || !path;
}

bool audit_is_on(void)
{
    return atomic_load_explicit(&own_is_on, memory_order_relaxed);
}

void audit_add(struct json_object *line)
{
    pthread_mutex_lock(&own_lock);
    if (own) {
        audit_write(own, line);
    } else {
        own_lost++;
        json_object_put(line);
    }
    pthread_mutex_unlock(&own_lock);
}

/* A file that could not be opened when the map came into force is tried again. */
void audit_rotate(void)
{
    struct error error;
    if (own) {
        audit_reopen(own);
    } else if (own_path) {
        struct audit *next = audit_open(own_path, &error);
        if (!next) {
            log_line(LOG_SERIOUS, "%s", error.message);
        }
        pthread_mutex_lock(&own_lock);
        own = next;
        pthread_mutex_unlock(&own_lock);
    }
}

struct json_object *audit_describe(void)
{
    struct json_object *json = NULL;
    pthread_mutex_lock(&own_lock);
    if (own_path) {
        json = json_object_new_object();
        json_add(json, "path", json_object_new_string(own_path));
        json_add(json, "lost", json_object_new_int64((int64_t)(own_lost + (own ? audit_lost(own) : 0))));
        json_add(json, "open", json_object_new_boolean(own && audit_is_open(own)));
    }
    pthread_mutex_unlock(&own_lock);
    return json;
}
