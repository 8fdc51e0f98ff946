/* The audit file: lines for later investigations, which must not get lost. A separate thread writes them, so that nothing waits
 * for a disk. */
#pragma once

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/bytes/error.h"

/* Lines that wait for the disk, and their bytes; those beyond are lost. */
#define AUDIT_LINES 4096
#define AUDIT_BYTES (4 << 20)

struct audit;

/* Starts the thread, which opens the file, and makes it with mode 0600 if it is not there. It must be a regular file with one
   name, and no link. Waits for that for a second at most: on a disk that does not answer yet, lines wait for it. The caller ends
   it with audit_close. NULL with an error: INVALID_ARGUMENT for another kind of file, else UNAVAILABLE. */
struct audit *audit_open(const char *path, struct error *error);

/* Has a line written: the object as JSON. Takes over the caller's reference. Never waits; a line that cannot be kept is counted
   as lost. Any thread. */
void audit_write(struct audit *audit, struct json_object *line);

/* Opens the path again before the next line, since logrotate has moved the file. Never waits. Any thread. If that fails, the file
   that was open is written on. */
void audit_reopen(struct audit *audit);

/* Whether the file is open by now. Any thread. */
bool audit_is_open(struct audit *audit);

/* How many lines were lost, because the disk is full or slow. Any thread. */
uint64_t audit_lost(const struct audit *audit);

/* Writes what waits, for a second at most, and ends the thread. One that the disk does not let go is left behind with its memory.
   NULL is allowed. */
void audit_close(struct audit *audit);

/* ---- the file of the process ---- */

/* Uses the file at that path from now on; NULL: none. What is open already stays open if the path is the same. false: it could
   not be opened; there is none then, and lines are counted as lost. On one thread at a time. */
bool audit_use(const char *path, struct error *error);

/* Whether lines are wanted. Cheap. */
bool audit_is_on(void);

/* audit_write for that file, from any thread. */
void audit_add(struct json_object *line);

/* audit_reopen for it; one that could not be opened is tried again. On the thread of audit_use. */
void audit_rotate(void);

/* {"path": "/var/log/...", "lost": 0, "open": true}, which the caller owns; NULL: no lines are wanted. */
struct json_object *audit_describe(void);
