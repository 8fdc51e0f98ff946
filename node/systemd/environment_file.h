/* Files of EnvironmentFile=, read as systemd does (systemd.exec(5)). Pure. */
#pragma once

#include "base/bytes/error.h"
#include "node/systemd/traced_text.h"

/* One assignment. */
struct environment_entry {
    const char *name;
    struct traced_text value;
    uint16_t file;
    unsigned line;     /* from 1 */
    size_t raw_offset; /* of what is behind the "=", with its quotes, up to the end of the line or file */
    size_t raw_length;
    bool doubtful; /* whether it counts depends on systemd's version: before 254, a comment that ends in a backslash continues in
                      the next line */
};

struct environment_entries {
    struct environment_entry *items;
    size_t count;
};

/* Reads all assignments to valid names, in their order. `file` is for the places; the origins' variables stay 0. false: out of
   memory; there are no mistakes in such a file, as systemd reads past what it does not understand. */
bool environment_file_read(struct bytes text, uint16_t file, struct arena *arena, struct environment_entries *entries,
                           struct error *error);

/* Whether it can be the name of a variable. */
bool environment_name_is_valid(struct bytes name);
