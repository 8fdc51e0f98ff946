/* A runtime's key `translation` in the runtime map. */
#pragma once

#include "core/map/yaml_reader.h"

/* Reads it into a struct leniency. A yaml_read_node. */
void runtime_map_read_translation(struct yaml_reader *reader, yaml_node_t *node, const char *what, void *value);
