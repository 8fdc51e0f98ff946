/* The names, paths and addresses in a runtime map. They stay text. Every function has the form of yaml_parse_text; `value` points
   to a const char *. The text is printable ASCII and outlives the value, which may borrow it. */
#ifndef CRIGATE_MAP_NAMES_H
#define CRIGATE_MAP_NAMES_H

#include <stdbool.h>

#include "translate/arena.h"
#include "translate/error.h"

/* Every address begins with this. */
#define SOCKET_SCHEME "unix://"

/* A runtime's name, usable as the prefix of an id. */
bool value_runtime_name(const char *text, struct arena *memory, void *value, struct error *error);

/* The address of a Unix socket, normalised: "unix:///run/x.sock". */
bool value_socket(const char *text, struct arena *memory, void *value, struct error *error);

/* The absolute path of a folder, normalised. */
bool value_folder(const char *text, struct arena *memory, void *value, struct error *error);

/* The same for a runtime's folder. */
bool value_storage(const char *text, struct arena *memory, void *value, struct error *error);

/* A prefix of image names, without the slash at its end. */
bool value_image_prefix(const char *text, struct arena *memory, void *value, struct error *error);

/* Whether the prefix begins with a registry: its first part has a dot or a colon, or is localhost. The kubelet puts docker.io/ in
   front of other names. */
bool image_prefix_names_registry(const char *prefix);

/* An http or https URL with a host, without a slash at its end. */
bool value_stream_url(const char *text, struct arena *memory, void *value, struct error *error);

/* The key of an annotation. */
bool value_annotation_key(const char *text, struct arena *memory, void *value, struct error *error);

/* A RuntimeClass handler as callers name it. */
bool value_handler(const char *text, struct arena *memory, void *value, struct error *error);

/* A handler as the runtime names it; empty for its default one. */
bool value_local_handler(const char *text, struct arena *memory, void *value, struct error *error);

/* The folder of a map file's drop-ins, in the arena; NULL when memory is short. */
const char *drop_in_folder(const char *path, struct arena *memory);

#endif
