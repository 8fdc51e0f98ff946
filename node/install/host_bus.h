/* Makes the node's systemctl work in a process that lives in other process namespaces than the node's systemd. */
#pragma once

#include <stdbool.h>

#include "base/bytes/error.h"

/* systemctl and systemd-run refuse a systemd whose process number they cannot see ("No data available"), and a pod sees it only
   with hostPID, which all of its containers would have then. So a child of this process stands between: it listens where systemd
   does, as only this process sees it, and passes bytes on. To be called once, by a process in the node's mount namespace; it has
   one of its own afterwards, a copy in which mounts of the node still appear. The child ends with this process. */
bool host_bus_open(struct error *error);
