/* The plain values of a runtime map that are more than text: keywords, accounts and numbers. For names and addresses see names.h.
   After each function is the type of the value that it reads. */
#pragma once

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "core/map/map.h"
#include "core/map/yaml_reader.h"
#include "translate/schema/schema.h"

struct value_api {
    bool set; /* false for "auto" */
    enum dialect dialect;
};

struct value_group {
    const char *name; /* as in the file */
    gid_t gid;
};

struct value_metrics_address {
    const char *text; /* as in the file, or the normalised address of a Unix socket; NULL: none */
    struct sockaddr_storage address;
    socklen_t length;
    bool beyond_node; /* it can be reached from other nodes */
};

struct value_callers {
    const char *release; /* as in the file */
    bool lack_masked_paths;
};

/* Users or groups by their numbers; in the arena. */
struct id_list {
    id_t *items;
    size_t count;
};

/* Handlers of a runtime, and where each is: parallel arrays in the arena. */
struct parsed_handlers {
    struct runtime_handler *items;
    struct place *places;
    size_t count;
};

yaml_parse_text value_api;             /* struct value_api */
yaml_parse_text value_mode;            /* mode_t */
yaml_parse_text value_group;           /* struct value_group: a group, by name (as account_find) or number */
yaml_read_node value_users;            /* struct id_list: a list of users, likewise */
yaml_read_node value_groups;           /* struct id_list: a list of groups, likewise */
yaml_read_node value_handlers;         /* struct parsed_handlers: a list of names, or a mapping of them to the runtime's own */
yaml_parse_text value_callers;         /* struct value_callers: the Kubernetes release of the callers */
yaml_parse_text value_boolean;         /* bool */
yaml_parse_text value_ids;             /* bool: whether ids are plain */
yaml_parse_text value_access;          /* bool: whether it is read-only */
yaml_parse_text value_compose;         /* enum compose */
yaml_parse_text value_when_away;       /* enum when_away */
yaml_parse_text value_cgroup_driver;   /* enum cgroup_driver */
yaml_parse_text value_message_size;    /* size_t: bytes */
yaml_parse_text value_memory;          /* size_t: bytes */
yaml_parse_text value_connections;     /* unsigned */
yaml_parse_text value_calls;           /* unsigned */
yaml_parse_text value_pulls;           /* unsigned */
yaml_parse_text value_list_items;      /* unsigned */
yaml_parse_text value_duration;        /* unsigned: milliseconds, from 0 */
yaml_parse_text value_idle;            /* unsigned: milliseconds */
yaml_parse_text value_event_interval;  /* unsigned: milliseconds */
yaml_parse_text value_budget;          /* unsigned: milliseconds for a list */
yaml_parse_text value_metrics_address; /* struct value_metrics_address: where metrics are served */
yaml_parse_text value_hook_timeout;    /* unsigned: milliseconds for one hook */

enum account_result {
    ACCOUNT_FOUND,
    ACCOUNT_MISSING,    /* no line of that name, or no such file */
    ACCOUNT_UNREADABLE, /* errno has the reason */
};

/* Looks for a name in /etc/passwd, /etc/group or another file of their form (see passwd(5), group(5)); the first line of that
   name with a valid number counts. FOUND: `id` is the number in its third field. Lines of another form are left out. Names come
   from these two files alone. Databases that nsswitch.conf adds, such as LDAP, are not asked: that would load code of the system
   into the process, and wait for servers. */
enum account_result account_find(const char *file, const char *name, id_t *id);
