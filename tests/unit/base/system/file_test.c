/* Files that are read within a limit. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/system/file.h"
#include "tests/cmocka.h"

/* A file of this many bytes, each of which is its place. */
static int file_of(size_t size)
{
    int file = memfd_create("file_test", MFD_CLOEXEC);
    assert_true(file >= 0);
    for (size_t i = 0; i < size; i++) {
        assert_int_equal(write(file, &(uint8_t){(uint8_t)i}, 1), 1);
    }
    assert_int_equal(lseek(file, 0, SEEK_SET), 0);
    return file;
}

TEST(reading_ends_at_the_size_or_the_end)
{
    uint8_t data[16];
    int file = file_of(10);
    assert_int_equal(file_read(file, data, 4), 4);
    assert_int_equal(data[3], 3);
    assert_int_equal(file_read(file, data, sizeof data), 6);
    assert_int_equal(data[5], 9);
    assert_int_equal(file_read(file, data, sizeof data), 0);
    close(file);
    errno = 0;
    assert_int_equal(file_read(file, data, sizeof data), -1);
    assert_int_equal(errno, EBADF);
}

/* As a pipe gives them. */
TEST(pieces_are_put_together)
{
    int ends[2];
    uint8_t data[16];
    assert_int_equal(pipe2(ends, O_DIRECT | O_CLOEXEC), 0);
    assert_int_equal(write(ends[1], "ab", 2), 2);
    assert_int_equal(write(ends[1], "cd", 2), 2);
    close(ends[1]);
    assert_int_equal(file_read(ends[0], data, sizeof data), 4);
    assert_memory_equal(data, "abcd", 4);
    close(ends[0]);
}

TEST(a_whole_file_is_read_within_the_limit)
{
    static const size_t sizes[] = {0, 1, 4095, 4096, 4097, 10000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct buffer content = {0};
        int file = file_of(sizes[i]);
        assert_true(file_read_whole(file, sizes[i], &content));
        assert_int_equal(content.len, sizes[i]);
        for (size_t at = 0; at < sizes[i]; at++) {
            assert_int_equal(content.data[at], (uint8_t)at);
        }
        buffer_clear(&content);
        lseek(file, 0, SEEK_SET);
        errno = 0;
        assert_int_equal(file_read_whole(file, sizes[i] ? sizes[i] - 1 : 0, &content), sizes[i] == 0);
        assert_int_equal(errno, sizes[i] ? EFBIG : 0);
        buffer_clear(&content);
        close(file);
    }
}

TEST(a_folder_is_no_content)
{
    struct buffer content = {0};
    int folder = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_false(file_read_whole(folder, 100, &content));
    assert_int_equal(errno, EISDIR);
    buffer_clear(&content);
    close(folder);
}

TEST(a_text_is_cut_and_ends)
{
    char text[4], path[64];
    int file = memfd_create("file_test", MFD_CLOEXEC);
    assert_int_equal(write(file, "abcdef", 6), 6);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    file_read_text(path, text, sizeof text);
    assert_string_equal(text, "abc");
    close(file);
    file_read_text(path, text, sizeof text);
    assert_string_equal(text, "");
}
