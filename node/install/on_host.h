/* `crigate install --host` and `crigate uninstall --host`: from a privileged container, on the node that runs it. The work is
   done by the node's systemd, so that it is completed whatever happens to the container. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The unit that does the work, and the timer that has `crigate verify` write to VERIFY_REPORT_PATH. Both are transient: a reboot
   ends them. */
#define HOST_UNIT "crigate-install.service"
#define HOST_VERIFY "crigate-verify"

/* How many options are passed on. */
#define ON_HOST_MOST 64

struct on_host {
    const char *folder;                  /* the host's /proc is mounted at FOLDER/proc; NULL: this is the node itself */
    const char *arguments[ON_HOST_MOST]; /* what the command gets on the node */
    size_t count;
    bool too_many;
};

/* Adds an option; both are borrowed. `value` may be NULL. Too many are refused later. */
void on_host_pass(struct on_host *work, const char *option, const char *value);

/* Enters the node's mount namespace, for good, and does it. Prints what the command prints there. Returns the exit status: 0
   done, or there was nothing to do, 2 not possible, failed, or this process was asked to end (the work then continues without
   it). */
int on_host_install(const struct on_host *work);
int on_host_uninstall(const struct on_host *work);
