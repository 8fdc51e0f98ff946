/* The names, paths and addresses in a runtime map. Values are of type const char *, and stay text. */
#pragma once

#include <stdbool.h>

#include "base/bytes/arena.h"
#include "core/map/map.h"
#include "core/map/yaml_reader.h"

/* A runtime's name, usable as the prefix of an id. */
yaml_parse_text value_runtime_name;

/* The address of a Unix socket, normalised: "unix:///run/x.sock". */
yaml_parse_text value_socket;

/* The endpoint of a runtime: such an address, or DOCKER_ENDPOINT. */
yaml_parse_text value_endpoint;

/* The absolute path of a folder, normalised. */
yaml_parse_text value_folder;

/* The absolute path of a file, normalised. */
yaml_parse_text value_file;

/* The same for a runtime's folder. */
yaml_parse_text value_storage;

/* The same for the folder of the files that name plugins. */
yaml_parse_text value_plugin_folder;

/* A prefix of image names, without the slash at its end. */
yaml_parse_text value_image_prefix;

/* Whether the prefix begins with a registry: its first part has a dot or a colon, or is localhost. The kubelet puts docker.io/ in
   front of other names. */
bool image_prefix_names_registry(const char *prefix);

/* An http or https URL with a host, without a slash at its end. */
yaml_parse_text value_stream_url;

/* The key of an annotation. */
yaml_parse_text value_annotation_key;

/* The key of a label, and its value, which may be empty. */
yaml_parse_text value_label_key;
yaml_parse_text value_label_value;

/* A RuntimeClass handler as callers name it. */
yaml_parse_text value_handler;

/* A handler as the runtime names it; empty for its default one. */
yaml_parse_text value_local_handler;

/* The folder of a map file's drop-ins, in the arena; NULL when memory is short. */
const char *drop_in_folder(const char *path, struct arena *memory);
