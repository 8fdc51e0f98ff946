/* The plain values of a runtime map that are more than text: keywords, accounts and numbers. For names and addresses see names.h.
   Every function has the form of yaml_parse_text; the comment names the type that
   `value` points to. The text is printable ASCII and outlives the value, which may borrow it. */
#ifndef CRIGATE_MAP_VALUES_H
#define CRIGATE_MAP_VALUES_H

#include <stdbool.h>
#include <sys/types.h>

#include "core/map/map.h"
#include "translate/arena.h"
#include "translate/error.h"
#include "translate/schema.h"

struct value_api {
    bool set; /* false for "auto" */
    enum dialect dialect;
};

struct value_group {
    const char *name; /* as in the file */
    gid_t gid;
};

struct value_callers {
    const char *release; /* as in the file */
    bool lack_masked_paths;
};

/* struct value_api. */
bool value_api(const char *text, struct arena *memory, void *value, struct error *error);

/* mode_t. */
bool value_mode(const char *text, struct arena *memory, void *value, struct error *error);

/* id_t: a user of this system by name or number. */
bool value_user(const char *text, struct arena *memory, void *value, struct error *error);

/* id_t: a group of this system by name or number. */
bool value_group_id(const char *text, struct arena *memory, void *value, struct error *error);

/* struct value_group: a group of this system by name or number. */
bool value_group(const char *text, struct arena *memory, void *value, struct error *error);

/* struct value_callers: the Kubernetes release of the callers. */
bool value_callers(const char *text, struct arena *memory, void *value, struct error *error);

/* bool. */
bool value_boolean(const char *text, struct arena *memory, void *value, struct error *error);

/* bool: whether ids are plain. */
bool value_ids(const char *text, struct arena *memory, void *value, struct error *error);

/* enum compose. */
bool value_compose(const char *text, struct arena *memory, void *value, struct error *error);

/* size_t, bytes. */
bool value_memory(const char *text, struct arena *memory, void *value, struct error *error);

/* unsigned. */
bool value_connections(const char *text, struct arena *memory, void *value, struct error *error);

/* unsigned, milliseconds. */
bool value_idle(const char *text, struct arena *memory, void *value, struct error *error);

/* unsigned, milliseconds. */
bool value_event_interval(const char *text, struct arena *memory, void *value, struct error *error);

/* enum when_away. */
bool value_when_away(const char *text, struct arena *memory, void *value, struct error *error);

/* enum cgroup_driver. */
bool value_cgroup_driver(const char *text, struct arena *memory, void *value, struct error *error);

/* size_t: bytes. */
bool value_message_size(const char *text, struct arena *memory, void *value, struct error *error);

/* unsigned: at least 1. */
bool value_calls(const char *text, struct arena *memory, void *value, struct error *error);
bool value_list_items(const char *text, struct arena *memory, void *value, struct error *error);

/* unsigned: milliseconds. */
bool value_duration(const char *text, struct arena *memory, void *value, struct error *error);

/* unsigned: milliseconds that a list may take. */
bool value_budget(const char *text, struct arena *memory, void *value, struct error *error);

#endif
