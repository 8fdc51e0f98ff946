/* What the system said about a file, as an error. */
#pragma once

#include "base/bytes/error.h"

/* "cannot WHAT PATH: REASON" of the present errno: NOT_FOUND, PERMISSION_DENIED, RESOURCE_EXHAUSTED (a full disk or quota, out of
   memory), FAILED_PRECONDITION (a link, no regular file, a read-only file system), else UNAVAILABLE. For a path that the kernel
   does not let any process write to, the reason says that it, or its folder, is immutable. false. */
bool system_error(struct error *error, const char *what, const char *path);
