#include "translate/hooks/changes.h"

#include <stdio.h>

#define KEY_SHOWN 96

static size_t write_path(const struct hook_path *path, char text[HOOK_PATH_TEXT])
{
    size_t len = path->outer ? write_path(path->outer, text) : 0;
    int more = snprintf(text + len, HOOK_PATH_TEXT - len, "%s%s", path->outer ? "." : "", path->name);
    return more < 0 || (size_t)more >= HOOK_PATH_TEXT - len ? strlen(text) : len + (size_t)more;
}

void hook_path_text(const struct hook_path *path, struct bytes key, char text[HOOK_PATH_TEXT])
{
    size_t len = write_path(path, text);
    if (!key.data) {
        return;
    }
    char shown[KEY_SHOWN + 1];
    size_t count = key.len < KEY_SHOWN ? key.len : KEY_SHOWN;
    for (size_t i = 0; i < count; i++) {
        shown[i] = key.data[i] < 0x20 || key.data[i] > 0x7e ? '?' : (char)key.data[i];
    }
    shown[count] = 0;
    snprintf(text + len, HOOK_PATH_TEXT - len, "[%s%s]", shown, key.len > KEY_SHOWN ? "..." : "");
}

static void list_add(char list[HOOK_CHANGES_TEXT], const char *field)
{
    static const char full[] = ", ...";
    size_t len = strlen(list);
    if (len >= sizeof full && strcmp(list + len - sizeof full + 1, full) == 0) {
        return;
    }
    bool fits = len + strlen(", ") + strlen(field) + sizeof full <= HOOK_CHANGES_TEXT;
    snprintf(list + len, HOOK_CHANGES_TEXT - len, "%s%s", !fits || len == 0 ? "" : ", ", fits ? field : full);
}

void hook_changes_add(struct hook_changes *changes, const char *field, bool overwritten)
{
    changes->changed = true;
    list_add(changes->text, field);
    if (overwritten) {
        changes->overwrote = true;
        list_add(changes->overwritten, field);
    }
}
