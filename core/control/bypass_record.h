/* The record of a bypass, which exists while the callers' socket bypasses crigate: `crigate bypass on` writes it, and the units
   do not start crigate as long as it is there. It outlives a reboot. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/un.h>

#include "base/bytes/bytes.h"

#define BYPASS_RECORD_PATH "/var/lib/crigate/bypass"

/* The same until the node reboots: written first, and while the disk is full or read-only. It is newer than the record. */
#define BYPASS_NOTE_PATH "/run/crigate.bypass"

struct bypass_record {
    char since[32];                                         /* "2026-11-22T03:10:00Z" */
    char link[sizeof((struct sockaddr_un *)0)->sun_path];   /* the path that callers use */
    char target[sizeof((struct sockaddr_un *)0)->sun_path]; /* the runtime's socket, where it leads */
    bool socket_unit;                                       /* crigate.socket was active before */
    bool until_reboot;                                      /* it is a note */
    bool readable;                                          /* false: there is a record, but the rest means nothing */
};

/* Whether there is a record, as far as this user may see; fills it. Follows no link. */
bool bypass_record_read(const char *path, struct bypass_record *record);

/* Reads the note, or else the record, of this node. */
bool bypass_record_find(struct bypass_record *record);

/* Reads the text of one. false: it has no link, or no target. */
bool bypass_record_parse(struct bytes text, struct bypass_record *record);

/* Writes the text of one, at most `size` bytes with its NUL. Returns its length. */
size_t bypass_record_print(const struct bypass_record *record, char *text, size_t size);
