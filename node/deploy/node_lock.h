/* One command at a time that changes whom the kubelet calls. */
#pragma once

#include "base/bytes/error.h"

/* Takes the lock of install, uninstall and bypass: on a file in /run that only root can open, so that no other user can hold it.
   Returns a descriptor that holds the lock until the caller closes it, or -1: another of these commands is at work, or the file
   cannot be made. */
int node_lock(struct error *error);
