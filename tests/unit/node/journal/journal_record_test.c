/* The text of a journal: what is written is read again, and nothing else is. */
#include <string.h>

#include "node/journal/record.h"
#include "tests/cmocka.h"

static struct arena *arena;
static struct error error;
static struct record record;

static int begin(void **state)
{
    static const struct file_attribute attributes[] = {
        {.name = "security.selinux", .value = {(const uint8_t *)"etc_t\0", 6}},
        {.name = "user.empty", .value = {(const uint8_t *)"", 0}},
    };
    arena = arena_new((size_t)1 << 26);
    error = (struct error){0};
    record = (struct record){.phase = INSTALL_REMOVING, .last_number = 7, .fact_count = 1, .file_count = 2};
    record.facts[0] = (struct recorded_fact){.name = "endpoint", .value = "unix:///run/\"a\".sock"};
    record.files[0] = (struct recorded_file){
        .file = {.path = "/etc/default/kubelet", .existed = true, .exists = true, .why = "the endpoint\n"},
        .attributes = {.items = attributes, .count = 2},
        .number = 5,
        .before = digest_of(bytes_of_string("before")),
        .after = digest_of(bytes_of_string("after")),
        .earlier = {digest_of(bytes_of(NULL, 0)), digest_of(bytes_of_string("earlier"))},
        .earlier_count = 2,
    };
    record.files[0].file.status.st_mode = S_IFREG | 0640;
    record.files[0].file.status.st_uid = UINT32_MAX;
    record.files[0].file.status.st_gid = 3;
    record.files[0].file.status.st_mtim = (struct timespec){.tv_sec = -5, .tv_nsec = 999999999};
    record.files[1] = (struct recorded_file){.file = {.path = "/new", .exists = true, .why = ""},
                                             .number = 7,
                                             .folders = 2,
                                             .after = digest_of(bytes_of_string("new"))};
    return arena ? 0 : -1;
}

static int end(void **state)
{
    arena_unref(arena);
    return 0;
}

static struct bytes encoded(void)
{
    struct bytes text;
    assert_true(record_encode(&record, arena, &text, &error));
    return text;
}

EACH_TEST(begin, end)

TEST(digests_are_those_of_sha_256)
{
    assert_string_equal(digest_of(bytes_of("abc", 3)).text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_string_equal(digest_of(bytes_of("", 0)).text, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_string_equal(digest_of(bytes_of(NULL, 0)).text, "");
}

TEST(what_is_written_is_read_again)
{
    struct record read;
    assert_true(record_decode(encoded(), arena, &read, &error));
    assert_int_equal(read.phase, INSTALL_REMOVING);
    assert_int_equal(read.last_number, 7);
    assert_int_equal(read.fact_count, 1);
    assert_string_equal(read.facts[0].value, record.facts[0].value);
    assert_int_equal(read.file_count, 2);
    const struct recorded_file *file = &read.files[0];
    assert_string_equal(file->file.path, "/etc/default/kubelet");
    assert_string_equal(file->file.why, "the endpoint\n");
    assert_true(file->file.existed && file->file.exists);
    assert_int_equal(file->number, 5);
    assert_string_equal(file->before.text, record.files[0].before.text);
    assert_string_equal(file->after.text, record.files[0].after.text);
    assert_int_equal(file->earlier_count, 2);
    assert_string_equal(file->earlier[0].text, "");
    assert_string_equal(file->earlier[1].text, record.files[0].earlier[1].text);
    assert_int_equal(file->file.status.st_mode, S_IFREG | 0640);
    assert_int_equal(file->file.status.st_uid, UINT32_MAX);
    assert_int_equal(file->file.status.st_gid, 3);
    assert_int_equal(file->file.status.st_mtim.tv_sec, -5);
    assert_int_equal(file->file.status.st_mtim.tv_nsec, 999999999);
    assert_int_equal(file->attributes.count, 2);
    assert_string_equal(file->attributes.items[0].name, "security.selinux");
    assert_true(bytes_equal(file->attributes.items[0].value, bytes_of("etc_t\0", 6)));
    assert_int_equal(file->attributes.items[1].value.len, 0);
    assert_true(!read.files[1].file.existed && read.files[1].file.exists);
    assert_int_equal(read.files[1].folders, 2);
}

static bool is_blank(uint8_t letter)
{
    return letter == ' ' || letter == '\n';
}

/* White space between the members means nothing; any other change is noticed. */
TEST(every_change_of_a_byte_is_noticed)
{
    struct bytes text = encoded();
    for (size_t i = 0; i < text.len; i++) {
        struct record read;
        struct arena *other = arena_new((size_t)1 << 22);
        struct bytes changed = arena_copy(other, text);
        uint8_t *bytes = (uint8_t *)(uintptr_t)changed.data;
        bytes[i] ^= 1;
        error = (struct error){0};
        bool good = record_decode(changed, other, &read, &error);
        assert_true(good ? is_blank(text.data[i]) : error.code == STATUS_DATA_LOSS || error.code == STATUS_FAILED_PRECONDITION);
        arena_unref(other);
    }
}

TEST(a_text_that_is_cut_off_is_refused)
{
    struct bytes text = encoded();
    for (size_t len = 0; len + 2 < text.len; len++) {
        struct record read;
        assert_false(record_decode(bytes_of(text.data, len), arena, &read, &error));
        assert_int_equal(error.code, STATUS_DATA_LOSS);
    }
}

TEST(without_memory_there_is_an_error)
{
    struct bytes text = encoded();
    struct record read;
    unsigned failed = 0;
    for (size_t size = 1; size < 8192; size += 64) {
        struct arena *small = arena_new(size);
        error = (struct error){0};
        bool good = record_decode(text, small, &read, &error);
        assert_true(good || error.code != STATUS_OK);
        failed += !good;
        arena_unref(small);
    }
    assert_true(failed > 0);
}
