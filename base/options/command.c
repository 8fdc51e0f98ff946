#include "base/options/command.h"

#include <string.h>

#define MOST_COMMANDS 64

const struct command *command_find(const struct command_table *table, const char *name)
{
    for (size_t i = 0; i < table->count; i++) {
        if (strcmp(table->commands[i].name, name) == 0) {
            return &table->commands[i];
        }
    }
    return NULL;
}

const char *command_did_you_mean(const struct command_table *table, const char *typed)
{
    const char *names[MOST_COMMANDS];
    size_t count = 0;
    for (size_t i = 0; i < table->count && count < MOST_COMMANDS; i++) {
        if (table->commands[i].summary) {
            names[count++] = table->commands[i].name;
        }
    }
    return options_did_you_mean(typed, names, count);
}
