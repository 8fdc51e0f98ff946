#include "node/files/attributes.h"

#include <errno.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "node/files/system_error.h"

#define MODE_BITS (S_ISUID | S_ISGID | S_ISVTX | S_IRWXU | S_IRWXG | S_IRWXO)

/* The kernel computes these from the content. */
static bool is_computed(const char *name)
{
    return strcmp(name, "security.ima") == 0 || strcmp(name, "security.evm") == 0;
}

/* The names of a file's attributes, each followed by a NUL. No data: there are none, or an error. */
static bool list_names(int file, const char *path, struct arena *arena, struct bytes *names, struct error *error)
{
    *names = bytes_of(NULL, 0);
    ssize_t size = flistxattr(file, NULL, 0);
    if (size < 0 && errno == ENOTSUP) {
        return true;
    }
    char *list = size > 0 ? arena_alloc(arena, (size_t)size) : NULL;
    if (size > 0 && !list) {
        return error_out_of_memory(error);
    }
    if (size > 0) {
        size = flistxattr(file, list, (size_t)size);
    }
    if (size < 0) {
        return system_error(error, "list the attributes of", path);
    }
    *names = bytes_of(list, (size_t)size);
    return true;
}

static bool read_value(int file, const char *path, const char *name, struct arena *arena, struct bytes *value,
                       struct error *error)
{
    ssize_t size = fgetxattr(file, name, NULL, 0);
    uint8_t *data = size < 0 ? NULL : arena_alloc(arena, (size_t)size + 1);
    if (size >= 0 && !data) {
        return error_out_of_memory(error);
    }
    if (size > 0) {
        size = fgetxattr(file, name, data, (size_t)size);
    }
    if (size < 0) {
        return system_error(error, "read the attributes of", path) || error_wrap(error, "%s", name);
    }
    *value = bytes_of(data, (size_t)size);
    return true;
}

bool file_attributes_read(int file, const char *path, struct arena *arena, struct file_attributes *attributes,
                          struct error *error)
{
    struct bytes names;
    *attributes = (struct file_attributes){0};
    if (!list_names(file, path, arena, &names, error)) {
        return false;
    }
    size_t most = 0;
    for (size_t i = 0; i < names.len; i++) {
        most += names.data[i] == '\0';
    }
    struct file_attribute *items = arena_zalloc(arena, (most + 1) * sizeof *items);
    if (!items) {
        return error_out_of_memory(error);
    }
    size_t count = 0;
    for (size_t at = 0; at < names.len; at += strlen((const char *)names.data + at) + 1) {
        const char *name = (const char *)names.data + at;
        if (is_computed(name)) {
            continue;
        }
        items[count].name = name;
        if (!read_value(file, path, name, arena, &items[count].value, error)) {
            return false;
        }
        count++;
    }
    *attributes = (struct file_attributes){.items = items, .count = count};
    return true;
}

static const struct file_attribute *find(const struct file_attributes *attributes, const char *name)
{
    for (size_t i = 0; i < attributes->count; i++) {
        if (strcmp(attributes->items[i].name, name) == 0) {
            return &attributes->items[i];
        }
    }
    return NULL;
}

/* Removes what the file got from its folder, such as a default access list. A label of a security module stays if the module
   wants one. */
static bool remove_others(int file, const char *path, const struct file_attributes *present, const struct file_attributes *wanted,
                          struct error *error)
{
    for (size_t i = 0; i < present->count; i++) {
        const char *name = present->items[i].name;
        if (!find(wanted, name) && fremovexattr(file, name) != 0 && strncmp(name, "security.", strlen("security.")) != 0) {
            return system_error(error, "remove an attribute of", path) || error_wrap(error, "%s", name);
        }
    }
    return true;
}

/* Sets what is not there already: the file may have a label from the system that no process may set. */
static bool set_missing(int file, const char *path, const struct file_attributes *present, const struct file_attributes *wanted,
                        struct error *error)
{
    for (size_t i = 0; i < wanted->count; i++) {
        const struct file_attribute *item = &wanted->items[i];
        const struct file_attribute *same = find(present, item->name);
        if ((!same || !bytes_equal(same->value, item->value)) &&
            fsetxattr(file, item->name, item->value.data, item->value.len, 0) != 0) {
            return system_error(error, "set an attribute of", path) || error_wrap(error, "%s", item->name);
        }
    }
    return true;
}

bool file_attributes_give(int file, const char *path, const struct stat *status, const struct file_attributes *attributes,
                          struct error *error)
{
    /* The owner first: a change of it takes away bits of the mode, and capabilities. */
    if (fchown(file, status->st_uid, status->st_gid) != 0) {
        return system_error(error, "change the owner of", path);
    }
    struct arena *arena = arena_new(FILE_ATTRIBUTES_LARGEST);
    struct file_attributes present = {0};
    bool good = arena ? file_attributes_read(file, path, arena, &present, error) : error_out_of_memory(error);
    good = good && remove_others(file, path, &present, attributes, error) &&
           set_missing(file, path, &present, attributes, error) &&
           (fchmod(file, status->st_mode & MODE_BITS) == 0 || system_error(error, "change the mode of", path));
    arena_unref(arena);
    return good;
}
