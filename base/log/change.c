#include "base/log/change.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/json/build.h"
#include "base/json/read.h"
#include "base/log/log.h"
#include "base/system/clock.h"

#define LONGEST_MS (INT64_C(24) * 60 * 60 * 1000)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct log_change current;
static bool is_set;
static atomic_bool is_narrow;
static atomic_uint changes; /* so far: the worker forgets what it knew for an earlier one */

void log_change_set(const struct log_change *change)
{
    bool narrow = change && (change->runtime[0] != '\0' || change->pod[0] != '\0');
    pthread_mutex_lock(&lock);
    is_set = change != NULL;
    current = change ? *change : (struct log_change){0};
    atomic_fetch_add(&changes, 1);
    pthread_mutex_unlock(&lock);
    log_set_level(change && !narrow ? change->level : log_settings()->level);
    atomic_store(&is_narrow, narrow);
}

bool log_change_get(struct log_change *change)
{
    pthread_mutex_lock(&lock);
    bool set = is_set;
    *change = current;
    pthread_mutex_unlock(&lock);
    return set;
}

bool log_change_is_narrow(void)
{
    return atomic_load_explicit(&is_narrow, memory_order_relaxed);
}

/* ---- as JSON ---- */

struct json_object *log_change_to_json(const struct log_change *change)
{
    struct json_object *json = json_object_new_object();
    /* One that was just set for 10 s has 10000, not 9999. */
    int64_t rest = (change->until - clock_ns() + NANOSECONDS_A_MILLISECOND - 1) / NANOSECONDS_A_MILLISECOND;
    json_add(json, "level", json_object_new_int(change->level));
    json_add(json, "milliseconds", json_object_new_int64(rest > 0 ? rest : 0));
    if (change->runtime[0] != '\0') {
        json_add(json, "runtime", json_object_new_string(change->runtime));
    }
    if (change->pod[0] != '\0') {
        json_add(json, "pod", json_object_new_string(change->pod));
    }
    return json;
}

static bool read_name(struct json_object *json, const char *key, char *name, struct error *error)
{
    struct json_object *value;
    if (!json_object_object_get_ex(json, key, &value)) { /* null is not a name */
        return true;
    }
    const char *text = json_object_get_string(value);
    if (!text || *text == '\0' || strlen(text) >= LOG_CHANGE_NAME) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "%s: a name of 1 to %d bytes is needed", key, LOG_CHANGE_NAME - 1);
    }
    strcpy(name, text);
    return true;
}

static bool read_number(struct json_object *json, const char *key, int64_t least, int64_t most, int64_t *number,
                        struct error *error)
{
    struct json_object *value = json_member_of(json, key, json_type_int);
    *number = value ? json_object_get_int64(value) : least - 1;
    return (*number >= least && *number <= most) ||
           error_set(error, STATUS_INVALID_ARGUMENT, "%s: a number from %lld to %lld is needed", key, (long long)least,
                     (long long)most);
}

bool log_change_from_json(struct json_object *json, struct log_change *change, struct error *error)
{
    int64_t level, milliseconds;
    *change = (struct log_change){0};
    if (!read_number(json, "level", LOG_SILENT, LOG_LISTS, &level, error) ||
        !read_number(json, "milliseconds", 1, LONGEST_MS, &milliseconds, error) ||
        !read_name(json, "runtime", change->runtime, error) || !read_name(json, "pod", change->pod, error)) {
        return false;
    }
    change->level = (int)level;
    change->until = clock_ns() + milliseconds * NANOSECONDS_A_MILLISECOND;
    return change->runtime[0] == '\0' || change->pod[0] == '\0' ||
           error_set(error, STATUS_INVALID_ARGUMENT, "either a pod or a runtime, not both");
}

/* ---- the ids of a pod and its containers ---- */

#define MOST_IDS 256 /* a pod has few containers; the oldest make room */

static struct {
    unsigned change; /* that they belong to */
    char pod[LOG_CHANGE_NAME];
    char ids[MOST_IDS][LOG_CHANGE_NAME];
    size_t count; /* that were ever added */
} known;

static void refresh(void)
{
    unsigned now = atomic_load(&changes);
    if (known.change != now) {
        struct log_change change;
        log_change_get(&change);
        memset(&known, 0, sizeof known);
        known.change = now;
        strcpy(known.pod, change.pod);
    }
}

static bool is_known(const char *text)
{
    if (strcmp(text, known.pod) == 0) {
        return true;
    }
    for (size_t i = 0; i < known.count && i < MOST_IDS; i++) {
        if (strcmp(text, known.ids[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool has(struct bytes message, const char *text)
{
    return message.len > 0 && memmem(message.data, message.len, text, strlen(text)) != NULL;
}

bool log_change_pod_may_be_in(struct bytes message)
{
    refresh();
    bool may = known.pod[0] != '\0' && has(message, known.pod);
    for (size_t i = 0; !may && i < known.count && i < MOST_IDS; i++) {
        may = has(message, known.ids[i]);
    }
    return may;
}

static void add_id(struct json_object *id)
{
    const char *text = json_object_is_type(id, json_type_string) ? json_object_get_string(id) : "";
    if (*text != '\0' && strlen(text) < LOG_CHANGE_NAME && !is_known(text)) {
        strcpy(known.ids[known.count++ % MOST_IDS], text);
    }
}

/* json-c reads no deeper than it does by default, and messages of CRI are flatter than that. */
static bool mentions(struct json_object *value)
{
    if (json_object_is_type(value, json_type_string)) {
        return is_known(json_object_get_string(value));
    }
    if (json_object_is_type(value, json_type_array)) {
        for (size_t i = 0; i < json_count(value); i++) {
            if (mentions(json_object_array_get_idx(value, i))) {
                return true;
            }
        }
    } else if (json_object_is_type(value, json_type_object)) {
        json_object_object_foreach(value, key, member)
        {
            (void)key;
            if (mentions(member)) {
                return true;
            }
        }
    }
    return false;
}

bool log_change_pod_is_in(struct json_object *message)
{
    refresh();
    return known.pod[0] != '\0' && mentions(message);
}

/* Ids of objects that mention the pod: items of a list, a status. */
static void learn_items(struct json_object *value)
{
    if (json_object_is_type(value, json_type_array)) {
        for (size_t i = 0; i < json_count(value); i++) {
            learn_items(json_object_array_get_idx(value, i));
        }
    } else if (json_object_is_type(value, json_type_object)) {
        struct json_object *id = json_member(value, "id");
        if (id && mentions(value)) {
            add_id(id);
        }
        json_object_object_foreach(value, key, member)
        {
            (void)key;
            learn_items(member);
        }
    }
}

void log_change_learn_pod(struct json_object *request, struct json_object *response)
{
    bool asked = log_change_pod_is_in(request);
    if (!response || known.pod[0] == '\0') {
        return;
    }
    if (asked) {
        add_id(json_member(response, "podSandboxId"));
        add_id(json_member(response, "containerId"));
    }
    learn_items(response);
}
