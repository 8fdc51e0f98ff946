/* One command at a time that changes whom the kubelet calls. */
#pragma once

#include "translate/bytes/error.h"

/* Locks crigate's folder on the node, /var/lib/crigate, which it makes if need be, for install, uninstall and bypass. Returns a
   descriptor that holds the lock until the caller closes it, or -1: another of these commands is at work, or the folder cannot be
   opened, or others than root could change it. */
int node_lock(struct error *error);
