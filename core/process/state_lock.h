/* The state folder has one owner: a process that holds the lock of a file in it, which bears its number. Two that shared a folder
   would replace each other's control socket and lists. */
#ifndef CRIGATE_PROCESS_STATE_LOCK_H
#define CRIGATE_PROCESS_STATE_LOCK_H

#include "translate/error.h"

/* The file's name in the state folder. It stays when the process ends. */
#define STATE_LOCK_NAME "state.lock"

/* A descriptor that holds the lock of the folder, with this process's number written down; the caller closes it, and hands it to
   another process as it is. -1 with an error: FAILED_PRECONDITION when another process holds it, which the text names. */
int state_lock_take(const char *folder, struct error *error);

/* The same for a descriptor that another process handed over, after a look whether it is that lock. Nothing is written down
   before state_lock_write_pid. false: it is not, and stays the caller's. */
bool state_lock_adopt(const char *folder, int lock);

/* Writes down that this process is the owner. */
void state_lock_write_pid(int lock);

#endif
