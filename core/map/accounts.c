/* Users and groups in a runtime map: names that /etc/passwd and /etc/group have, or numbers. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/map/values.h"

#define MOST_IDS 256

/* One of the two kinds of accounts. */
struct account_kind {
    const char *name;
    const char *file;
    const char *tool; /* creates one */
};

static const struct account_kind users = {"user", "/etc/passwd", "useradd"};
static const struct account_kind groups = {"group", "/etc/group", "groupadd"};

/* Whether the text is a number that an account can have: -1 means none to the kernel. */
static bool read_number(const char *text, id_t *id)
{
    size_t len = strlen(text);
    if (len == 0 || len > 10 || strspn(text, "0123456789") != len) {
        return false;
    }
    unsigned long long number = strtoull(text, NULL, 10);
    if (number >= (id_t)-1) {
        return false;
    }
    *id = (id_t)number;
    return true;
}

/* Whether a line NAME:PASSWORD:NUMBER:... is that name's. What begins with + or - refers to another database. */
static bool read_line(char *line, const char *name, id_t *id)
{
    char *rest = line;
    const char *fields[3];
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        fields[i] = strsep(&rest, ":");
    }
    return *name != '+' && *name != '-' && fields[2] && rest && strcmp(fields[0], name) == 0 && read_number(fields[2], id);
}

enum account_result account_find(const char *file, const char *name, id_t *id)
{
    FILE *lines = fopen(file, "re");
    if (!lines) {
        return errno == ENOENT ? ACCOUNT_MISSING : ACCOUNT_UNREADABLE;
    }
    char *line = NULL;
    size_t size = 0;
    bool found = false;
    errno = 0;
    while (!found && getline(&line, &size, lines) >= 0) {
        found = read_line(line, name, id);
    }
    int failure = ferror(lines) || errno == ENOMEM ? errno : 0;
    free(line);
    fclose(lines);
    errno = failure;
    return found ? ACCOUNT_FOUND : failure != 0 ? ACCOUNT_UNREADABLE : ACCOUNT_MISSING;
}

static bool find_account(const struct account_kind *kind, const struct yaml_scalar *in, id_t *id)
{
    if (*in->text == '\0') {
        return yaml_wrong(in, "it is empty; write a %s's name or number", kind->name);
    }
    enum account_result result = account_find(kind->file, in->text, id);
    if (result == ACCOUNT_FOUND || read_number(in->text, id)) {
        return true;
    }
    if (result == ACCOUNT_UNREADABLE) {
        return yaml_wrong(in, "cannot look up the %s \"%.80s\" in %s: %s; write its number", kind->name, in->text, kind->file,
                          strerror(errno));
    }
    return yaml_wrong(in, "%s has no %s \"%.80s\"; create it (%s --system), or write its number if it is in LDAP or the like",
                      kind->file, kind->name, in->text, kind->tool);
}

static bool value_user(const struct yaml_scalar *in)
{
    return find_account(&users, in, in->value);
}

static bool value_group_id(const struct yaml_scalar *in)
{
    return find_account(&groups, in, in->value);
}

bool value_group(const struct yaml_scalar *in)
{
    id_t id = 0;
    if (!find_account(&groups, in, &id)) {
        return false;
    }
    *(struct value_group *)in->value = (struct value_group){.name = in->text, .gid = id};
    return true;
}

static void read_ids(struct yaml_reader *reader, yaml_node_t *node, const char *what, yaml_parse_text *parse, struct id_list *ids)
{
    if (node->type != YAML_SEQUENCE_NODE) {
        yaml_wrong_kind(reader, node, what, "a list [NAME OR NUMBER, ...]");
        return;
    }
    size_t count = (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
    if (count > MOST_IDS) {
        problems_add(reader->problems, yaml_place(reader, node), "%s: %zu entries; at most %d", what, count, MOST_IDS);
        return;
    }
    *ids = (struct id_list){.items = arena_zalloc(reader->memory, count * sizeof *ids->items)};
    if (!ids->items) {
        problems_add(reader->problems, yaml_place(reader, node), "%s: out of memory", what);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        yaml_node_t *item = yaml_document_get_node(&reader->document, node->data.sequence.items.start[i]);
        if (yaml_read_scalar(reader, item, what, parse, &ids->items[ids->count])) {
            ids->count++;
        }
    }
}

void value_users(struct yaml_reader *reader, yaml_node_t *node, const char *what, void *value)
{
    read_ids(reader, node, what, value_user, value);
}

void value_groups(struct yaml_reader *reader, yaml_node_t *node, const char *what, void *value)
{
    read_ids(reader, node, what, value_group_id, value);
}
