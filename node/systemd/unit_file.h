/* Files of units, read as systemd does (systemd.syntax(7)). Pure. */
#pragma once

#include "base/bytes/error.h"
#include "node/systemd/traced_text.h"

/* One assignment; lines that continue after a backslash are joined. */
struct unit_line {
    const char *section; /* "Service" */
    const char *key;     /* "ExecStart" */
    struct traced_text value;
    unsigned line; /* from 1, where it begins */
};

struct unit_lines {
    struct unit_line *items;
    size_t count;
};

/* Reads all assignments in their order. `file` is for the places. Other lines are skipped. false: out of memory. */
bool unit_file_read(struct bytes text, uint16_t file, struct arena *arena, struct unit_lines *lines, struct error *error);
