/* The changes that a bypass makes to a node, each of them in one step. At every point between two of them, the node also works
   after a reboot. */
#pragma once

#include <stdbool.h>

#include "base/bytes/error.h"
#include "core/control/bypass_record.h"

/* systemd creates the link again at boot, because /run is empty then. */
#define BYPASS_TMPFILES_PATH "/etc/tmpfiles.d/crigate-bypass.conf"

/* What bypass_link_look finds at the path of a link. */
enum bypass_link {
    BYPASS_LINK_NOTHING,
    BYPASS_LINK_THERE,     /* a link to `target` */
    BYPASS_LINK_ELSEWHERE, /* a link to something else */
    BYPASS_LINK_SOCKET,    /* or any other file */
};

/* What is at the path. */
enum bypass_link bypass_link_look(const char *path, const char *target);

/* Whether only root can change the files that bypass_write writes: PERMISSION_DENIED with the path. */
bool bypass_check_owner(struct error *error);

/* Records the bypass in /run, until the next boot. */
bool bypass_note(const struct bypass_record *record, struct error *error);

/* Removes this record in /run. */
bool bypass_erase_note(struct error *error);

/* Writes the lines for boot, and then the record, synced, and removes the record in /run. false: a reboot ends the bypass, or
   leads to the runtime of an earlier one. */
bool bypass_write(const struct bypass_record *record, struct error *error);

/* Replaces whatever is at the path by a link to the target. At no time is the path without a file. */
bool bypass_link_place(const char *path, const char *target, struct error *error);

/* Removes a link at the path; anything else stays. */
bool bypass_link_remove(const char *path, struct error *error);

/* Removes both records, so that crigate can start. The lines for boot stay: they show that the rest is still to be done. */
bool bypass_erase_record(struct error *error);

/* Removes the record, and then the lines for boot. */
bool bypass_erase(struct error *error);
