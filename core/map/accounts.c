/* Users and groups in a runtime map: names that this system knows, or numbers. */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "core/map/values.h"

/* Room for an account, such as a group with the names of its members: enough for most, and for any. */
#define ACCOUNT_BUFFER ((size_t)64 * 1024)
#define MOST_ACCOUNT_BUFFER (64 * ACCOUNT_BUFFER)

#define MOST_IDS 256

/* One of the two kinds of accounts. */
struct account_kind {
    const char *name;
    const char *tool; /* creates one */
    /* Like getgrnam_r; `found` is whether there is one of that name. ERANGE asks for a larger buffer. */
    int (*look_up)(const char *name, char *buffer, size_t size, bool *found, id_t *id);
};

static int look_up_user(const char *name, char *buffer, size_t size, bool *found, id_t *id)
{
    struct passwd user;
    struct passwd *result = NULL;
    int failure = getpwnam_r(name, &user, buffer, size, &result);
    *found = result != NULL;
    *id = result ? result->pw_uid : 0;
    return failure;
}

static int look_up_group(const char *name, char *buffer, size_t size, bool *found, id_t *id)
{
    struct group group;
    struct group *result = NULL;
    int failure = getgrnam_r(name, &group, buffer, size, &result);
    *found = result != NULL;
    *id = result ? result->gr_gid : 0;
    return failure;
}

static const struct account_kind users = {"user", "useradd", look_up_user};
static const struct account_kind groups = {"group", "groupadd", look_up_group};

/* `found` is false when the system has no account of that name. false with an error when the look-up fails. */
static bool find_name(const struct account_kind *kind, const struct yaml_scalar *in, id_t *id, bool *found)
{
    for (size_t size = ACCOUNT_BUFFER; size <= MOST_ACCOUNT_BUFFER; size *= 4) {
        char *buffer = malloc(size);
        if (!buffer) {
            return yaml_wrong(in, "out of memory");
        }
        int failure = kind->look_up(in->text, buffer, size, found, id);
        free(buffer);
        if (failure != ERANGE) {
            return true;
        }
    }
    return yaml_wrong(in, "%s \"%.80s\" is too big to be looked up; write its number", kind->name, in->text);
}

/* Whether the text is a number that an account can have: -1 means none to the kernel. */
static bool read_number(const char *text, id_t *id)
{
    size_t len = strlen(text);
    if (len > 10 || strspn(text, "0123456789") != len) {
        return false;
    }
    unsigned long long number = strtoull(text, NULL, 10);
    *id = (id_t)number;
    return number < (id_t)-1;
}

static bool find_account(const struct account_kind *kind, const struct yaml_scalar *in, id_t *id)
{
    bool found = false;
    if (*in->text == '\0') {
        return yaml_wrong(in, "it is empty; write a %s's name or number", kind->name);
    }
    if (!find_name(kind, in, id, &found)) {
        return false;
    }
    if (!found && !read_number(in->text, id)) {
        return yaml_wrong(in, "this system has no %s \"%.80s\"; create it (%s --system) or name another", kind->name, in->text,
                          kind->tool);
    }
    return true;
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
