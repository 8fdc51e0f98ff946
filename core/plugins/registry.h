/* The plugins that the files of a folder name, read repeatedly. Logs what changed since the last time, and each problem once
   until it changes. Not safe from two threads at once. */
#pragma once

#include <json-c/json.h>
#include <stdio.h>

#include "core/plugins/list.h"

/* Zero-initialised: nothing was read yet. */
struct plugin_registry {
    char *folder;             /* that was read; NULL: none */
    struct plugin_list *list; /* that it named; NULL: nothing was read */
    char *problems;           /* as lines of the log; NULL: none */
};

/* Reads the folder. Returns whether the plugins differ from those of the last time; the first time they do. What was read of
   another folder is forgotten. Without memory, nothing changes. */
bool plugin_registry_read(struct plugin_registry *registry, const char *folder, unsigned timeout);

/* A share of the list, which the caller owns (plugin_list_free); NULL: nothing was read. */
struct plugin_list *plugin_registry_share(const struct plugin_registry *registry);

/* The problems of the last time, as an array of lines. The caller owns it. */
struct json_object *plugin_registry_problems(const struct plugin_registry *registry);

/* Forgets all, and frees what it holds. */
void plugin_registry_clear(struct plugin_registry *registry);

/* Reads the folder for a person: prints its problems to `problems`, as those of a runtime map, and a line for each plugin to
   `plugins`. Returns the list, which the caller owns; NULL: out of memory. `errors` gets the number of mistakes. */
struct plugin_list *plugin_registry_check(const char *folder, unsigned timeout, FILE *problems, FILE *plugins, size_t *errors);
