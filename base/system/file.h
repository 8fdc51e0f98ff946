/* Files, read and written as a whole. */
#pragma once

#include <sys/types.h>

#include "base/system/buffer.h"

/* Reads until `size` bytes are there or the file ends, past signals. Returns how many are; -1 with errno. */
ssize_t file_read(int file, void *data, size_t size);

/* Reads to the end. false with errno: EFBIG for more than `limit` bytes, ENOMEM. The caller always clears the buffer. */
bool file_read_whole(int file, size_t limit, struct buffer *content);

/* Writes all, past signals. false with errno. */
bool file_write(int file, const void *data, size_t size);

/* The beginning of a file as text, as much as fits in `size` bytes with its NUL; "" if the file cannot be read. Of a file in
   /proc that is all at one moment, if it fits. */
void file_read_text(const char *path, char *text, size_t size);
