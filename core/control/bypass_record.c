#include "bypass_record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/descriptor.h"

/* More than any record has. */
#define RECORD_SIZE 1024

/* Copies the value of a line "NAME VALUE". A value with other characters than printable ones, or without room, is none. */
static bool take(const char *line, size_t length, const char *name, char *value, size_t size)
{
    size_t begin = strlen(name);
    if (length <= begin + 1 || strncmp(line, name, begin) != 0 || line[begin] != ' ' || length - begin - 1 >= size) {
        return false;
    }
    memcpy(value, line + begin + 1, length - begin - 1);
    value[length - begin - 1] = '\0';
    for (char *c = value; *c; c++) {
        if (*c < ' ' || *c > '~') {
            value[0] = '\0';
        }
    }
    return value[0] != '\0';
}

bool bypass_record_parse(struct bytes text, struct bypass_record *record)
{
    *record = (struct bypass_record){0};
    const char *line = (const char *)text.data, *end = line + text.len;
    while (line < end) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        size_t length = (size_t)((stop ? stop : end) - line);
        char socket_unit[8];
        if (!take(line, length, "since", record->since, sizeof record->since) &&
            !take(line, length, "link", record->link, sizeof record->link) &&
            !take(line, length, "target", record->target, sizeof record->target) &&
            take(line, length, "crigate.socket", socket_unit, sizeof socket_unit)) {
            record->socket_unit = strcmp(socket_unit, "active") == 0;
        }
        line += length + 1;
    }
    record->readable = record->link[0] == '/' && record->target[0] == '/';
    return record->readable;
}

bool bypass_record_read(const char *path, struct bypass_record *record)
{
    char text[RECORD_SIZE];
    *record = (struct bypass_record){0};
    DESCRIPTOR_CLEANUP int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) {
        return errno != ENOENT && errno != ENOTDIR && errno != EACCES;
    }
    ssize_t got = read(fd, text, sizeof text);
    if (got > 0) {
        bypass_record_parse(bytes_of(text, (size_t)got), record);
    }
    return true;
}

bool bypass_record_find(struct bypass_record *record)
{
    bool noted = bypass_record_read(BYPASS_NOTE_PATH, record);
    record->until_reboot = noted;
    return noted || bypass_record_read(BYPASS_RECORD_PATH, record);
}

size_t bypass_record_print(const struct bypass_record *record, char *text, size_t size)
{
    int length = snprintf(text, size,
                          "# The callers' socket bypasses crigate. `crigate bypass off` ends that, and removes this file.\n"
                          "since %s\nlink %s\ntarget %s\ncrigate.socket %s\n",
                          record->since, record->link, record->target, record->socket_unit ? "active" : "inactive");
    return length < 0 ? 0 : (size_t)length < size ? (size_t)length : size - 1;
}
