/* `listen` of a runtime map: one socket, or a list of them. */
#pragma once

#include "core/map/parsed.h"

/* Reads `listen`, which replaces a list and what an earlier file has in the same keys; `value` is the parsed map. */
yaml_read_node listen_read;

/* Adds a mistake for each socket without an address. */
void listen_note_missing(struct parsed_map *parsed);

/* Checks what no single value can show. */
void listen_check(struct parsed_map *parsed);

/* Moves the checked sockets into the map. false: out of memory. */
bool listen_finish(struct parsed_map *parsed);
