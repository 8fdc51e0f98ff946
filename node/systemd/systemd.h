/* systemd on this node, through systemctl. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/bytes/arena.h"
#include "base/bytes/bytes.h"
#include "base/bytes/error.h"

/* Whether systemd is the service manager of this node (sd_booted(3)). */
bool systemd_is_running(void);

struct systemd_unit {
    const char *name;            /* "kubelet.service" */
    bool loaded;                 /* false: there is no such unit; the rest is empty */
    const char *active;          /* "active", "inactive", "failed", "activating", … */
    const char *enabled;         /* "enabled", "disabled", "static", "masked", … */
    bool needs_reload;           /* its files are others than those that systemd has read */
    pid_t main_pid;              /* 0: none */
    unsigned restarts;           /* automatic ones since it was last started; 1 from a systemd before 235, which does not say */
    int64_t main_started;        /* when the main process was started: nanoseconds of clock_ns; 0: it is not known */
    const char *fragment;        /* path of the unit's file */
    const char *const *drop_ins; /* paths, in the order in which they apply */
    size_t drop_in_count;
    const char *const *environment_files; /* paths as configured, without the leading "-", in the order in which they are read */
    size_t environment_file_count;
    const char *system_calls; /* names that its filter lets through, with spaces between them; "~…": all but those; "": all */
};

/* Asks for a unit; strings live in the arena. */
bool systemd_show(const char *unit, struct arena *arena, struct systemd_unit *shown, struct error *error);

/* The same from what `systemctl show` printed, in any release of systemd from 219 on: lines of PROPERTY=VALUE. Pure. */
bool systemd_read_show(const char *unit, struct bytes text, struct arena *arena, struct systemd_unit *read, struct error *error);

/* The oldest release that starts crigate's units. */
#define SYSTEMD_OLDEST 219

/* The release of systemd on this node: 252; 0 if it cannot be determined. */
unsigned systemd_release(struct arena *arena);

/* The same from what `systemctl --version` printed: "systemd 252 (252.36-1~deb12u1)" and more lines. Pure. */
unsigned systemd_read_release(struct bytes text);

/* Why that release (0: not known) cannot start a service of crigate's with that unit, in words: it is too old, or it does not
   know what the unit's filter lets through, which leaves next to nothing. NULL: it can. Lives in the arena. Pure. */
const char *systemd_obstacle(unsigned release, const struct systemd_unit *unit, struct arena *arena);

/* Whether the state of a unit (`active`, `enabled`) is that word. NULL, an unknown state, is not such a word. */
bool systemd_state_is(const char *state, const char *word);

/* systemctl VERB [UNIT]: "start", "stop", "restart", "enable", "disable", "daemon-reload" (NULL as unit). `timeout` is in
   milliseconds. false with what systemctl said last. */
bool systemd_do(const char *verb, const char *unit, unsigned timeout, struct error *error);
