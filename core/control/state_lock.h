/* The state folder has one owner: the process that holds the lock of a file in it, which has the process id in it. Two processes
   in one folder would replace each other's control socket and lists. The file (CONTROL_LOCK_NAME) stays when the process ends. */
#pragma once

#include "base/bytes/error.h"

/* Takes the lock of the folder and writes this process's id into it. Returns a descriptor that holds the lock; the caller closes
   it, and may hand it to another process. -1 with an error: FAILED_PRECONDITION when another process, which the text names, holds
   it.
   */
int state_lock_take(const char *folder, struct error *error);

/* The same for a descriptor that another process handed over, if it is that lock. The id is written by state_lock_write_pid.
   false: it is not that lock, and stays the caller's. */
bool state_lock_adopt(const char *folder, int lock);

/* Writes the id of this process, the new owner. */
void state_lock_write_pid(int lock);
