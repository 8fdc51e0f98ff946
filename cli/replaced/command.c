#include "cli/replaced/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool replaced_command_add(struct replaced_command *command, const char *word)
{
    char *copy = command->count < REPLACED_MOST_WORDS ? strdup(word) : NULL;
    if (copy) {
        command->words[command->count++] = copy;
    }
    return copy != NULL;
}

void replaced_command_clear(struct replaced_command *command)
{
    for (int i = 0; i < command->count; i++) {
        free(command->words[i]);
    }
    *command = (struct replaced_command){0};
}

/* As a shell reads it. */
static void print_word(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
    if (*word && word[strspn(word, plain)] == '\0') {
        printf(" %s", word);
        return;
    }
    printf(" '");
    for (; *word; word++) {
        printf(*word == '\'' ? "'\\''" : "%c", *word);
    }
    printf("'");
}

void replaced_command_print(const struct replaced_command *command)
{
    printf("crigate");
    for (int i = 0; i < command->count; i++) {
        print_word(command->words[i]);
    }
    printf("\n");
}
