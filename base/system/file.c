#include "base/system/file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/system/descriptor.h"

ssize_t file_read(int file, void *data, size_t size)
{
    size_t len = 0;
    while (len < size) {
        ssize_t count = read(file, (char *)data + len, size - len);
        if (count == 0) {
            break;
        }
        if (count < 0 && errno != EINTR) {
            return -1;
        }
        len += count > 0 ? (size_t)count : 0;
    }
    return (ssize_t)len;
}

bool file_read_whole(int file, size_t limit, struct buffer *content)
{
    for (;;) {
        size_t room = content->capacity - content->len;
        ssize_t count = room > 0 ? file_read(file, content->data + content->len, room) : 0;
        if (count < 0) {
            return false;
        }
        content->len += (size_t)count;
        if (content->len > limit) {
            errno = EFBIG;
            return false;
        }
        if ((size_t)count < room) {
            return true;
        }
        if (!buffer_reserve(content, 1, limit + 1)) {
            errno = ENOMEM;
            return false;
        }
    }
}

bool file_write(int file, const void *data, size_t size)
{
    for (size_t len = 0; len < size;) {
        ssize_t count = write(file, (const char *)data + len, size - len);
        if (count < 0 && errno != EINTR) {
            return false;
        }
        len += count > 0 ? (size_t)count : 0;
    }
    return true;
}

void file_read_text(const char *path, char *text, size_t size)
{
    DESCRIPTOR_CLEANUP int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = file >= 0 ? file_read(file, text, size - 1) : 0;
    text[len > 0 ? len : 0] = '\0';
}
