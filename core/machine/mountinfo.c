#include "mountinfo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

static bool is_octal(char c)
{
    return c >= '0' && c <= '7';
}

/* The kernel writes blanks, newlines and backslashes as a backslash and three octal digits. */
static void unescape(char *text)
{
    char *out = text;
    for (const char *in = text; *in; in++) {
        if (in[0] == '\\' && is_octal(in[1]) && is_octal(in[2]) && is_octal(in[3])) {
            *out++ = (char)((in[1] - '0') << 6 | (in[2] - '0') << 3 | (in[3] - '0'));
            in += 3;
        } else {
            *out++ = *in;
        }
    }
    *out = '\0';
}

static bool read_device(const char *text, dev_t *device)
{
    char *end;
    unsigned long major_number = strtoul(text, &end, 10);
    if (end == text || *end != ':') {
        return false;
    }
    const char *minor_text = end + 1;
    unsigned long minor_number = strtoul(minor_text, &end, 10);
    *device = makedev((unsigned)major_number, (unsigned)minor_number);
    return end != minor_text && *end == '\0';
}

/* ID PARENT MAJOR:MINOR ROOT MOUNTPOINT OPTIONS [TAG…] - TYPE SOURCE OPTIONS */
static bool parse_line(char *line, struct mount *mount)
{
    enum { ID, PARENT, DEVICE, ROOT, MOUNTPOINT, OPTIONS, FIXED };
    char *fields[FIXED];
    char *rest = line;
    for (size_t i = 0; i < FIXED; i++) {
        fields[i] = strsep(&rest, " ");
        if (!fields[i]) {
            return false;
        }
    }
    const char *tag;
    do {
        tag = strsep(&rest, " ");
    } while (tag && strcmp(tag, "-") != 0);
    char *type = strsep(&rest, " ");
    char *source = strsep(&rest, " ");
    if (!source || fields[ROOT][0] == '\0' || fields[MOUNTPOINT][0] != '/' || !read_device(fields[DEVICE], &mount->device)) {
        return false;
    }
    unescape(fields[ROOT]);
    unescape(fields[MOUNTPOINT]);
    unescape(type);
    unescape(source);
    mount->root = fields[ROOT];
    mount->mountpoint = fields[MOUNTPOINT];
    mount->type = type;
    mount->source = source;
    return true;
}

bool mountinfo_parse(struct mountinfo *info, char *text)
{
    *info = (struct mountinfo){0};
    size_t lines = 1;
    for (const char *c = text; *c; c++) {
        lines += *c == '\n';
    }
    info->mounts = calloc(lines, sizeof *info->mounts);
    if (!info->mounts) {
        return false;
    }
    char *rest = text;
    for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n")) {
        if (parse_line(line, &info->mounts[info->count])) {
            info->count++;
        }
    }
    return true;
}

bool mountinfo_read(struct mountinfo *info, const char *path)
{
    *info = (struct mountinfo){0};
    FILE *file = fopen(path, "re");
    if (!file) {
        return false;
    }
    char *text = NULL;
    size_t size = 0;
    bool read = getdelim(&text, &size, '\0', file) >= 0;
    fclose(file);
    if (!read || !mountinfo_parse(info, text)) {
        free(text);
        return false;
    }
    info->text = text;
    return true;
}

void mountinfo_clear(struct mountinfo *info)
{
    free(info->mounts);
    free(info->text);
    *info = (struct mountinfo){0};
}

static bool holds(const char *mountpoint, size_t length, const char *path)
{
    return strncmp(path, mountpoint, length) == 0 &&
           (path[length] == '/' || path[length] == '\0' || mountpoint[length - 1] == '/');
}

const struct mount *mountinfo_of_path(const struct mountinfo *info, const char *path)
{
    const struct mount *best = NULL;
    size_t best_length = 0;
    for (size_t i = 0; i < info->count; i++) {
        size_t length = strlen(info->mounts[i].mountpoint);
        if (length >= best_length && holds(info->mounts[i].mountpoint, length, path)) {
            best = &info->mounts[i];
            best_length = length;
        }
    }
    return best;
}
