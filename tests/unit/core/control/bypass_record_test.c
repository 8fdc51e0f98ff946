/* The record of a bypass: written, read, and hostile. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/control/bypass_record.h"
#include "tests/cmocka.h"
#include "tests/unit/fixture.h"

/* Longer than the path of a socket may be. */
#define HUNDRED_AND_MORE                                                                                                         \
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"                                                           \
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

static const struct bypass_record sample = {
    .since = "2026-11-22T03:10:00Z",
    .link = "/run/crigate/crigate.sock",
    .target = "/run/containerd/containerd.sock",
    .socket_unit = true,
    .readable = true,
};

TEST(what_is_printed_is_read_again)
{
    char text[1024];
    struct bypass_record record;
    size_t length = bypass_record_print(&sample, text, sizeof text);
    assert_int_equal(length, strlen(text));
    assert_true(bypass_record_parse(bytes_of(text, length), &record));
    assert_memory_equal(&record, &sample, sizeof record);
}

TEST(without_a_link_or_a_target_it_is_not_readable)
{
    struct bypass_record record;
    static const char *const texts[] = {
        "",
        "\n\n",
        "link /run/a.sock\n",
        "target /run/a.sock\n",
        "link relative\ntarget /run/a.sock\n",
        "link /run/a\033.sock\ntarget /run/b.sock\n",
        "link\ntarget /run/b.sock\n",
        "link \ntarget /run/b.sock",
        "link /run/a.sock\ntarget /run/" HUNDRED_AND_MORE "\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_false(bypass_record_parse(bytes_of_string(texts[i]), &record));
        assert_false(record.readable);
    }
}

TEST(unknown_lines_and_a_missing_end_do_no_harm)
{
    struct bypass_record record;
    assert_true(bypass_record_parse(bytes_of_string("# x\nfuture thing\ntarget /run/b.sock\nlink /run/a.sock"), &record));
    assert_string_equal(record.link, "/run/a.sock");
    assert_string_equal(record.target, "/run/b.sock");
    assert_string_equal(record.since, "");
    assert_false(record.socket_unit);
}

TEST(a_file_without_sense_still_says_that_there_is_a_bypass)
{
    char folder[] = "/tmp/bypass_record.XXXXXX", path[64], link[64];
    struct bypass_record record;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/bypass", folder);
    snprintf(link, sizeof link, "%s/link", folder);
    assert_false(bypass_record_read(path, &record));
    write_text(path, "");
    assert_true(bypass_record_read(path, &record));
    assert_false(record.readable);
    write_text(path, "link /run/a.sock\ntarget /run/b.sock\n");
    assert_true(bypass_record_read(path, &record));
    assert_true(record.readable);
    /* A link is not followed. */
    assert_int_equal(symlink(path, link), 0);
    assert_true(bypass_record_read(link, &record));
    assert_false(record.readable);
    unlink(link);
    unlink(path);
    rmdir(folder);
}
