#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/keyed_hash.h"
#include "core/store/state_file.h"
#include "tests/cmocka.h"
#include "tests/unit/fixture.h"
#include "tests/unit/translate/lists/list_fixture.h"

#define LIMIT ((size_t)1024 * 1024)
#define NOW 5000
#define HEADER_SIZE 20
#define CHECKSUM_AT 12

static char folder[FOLDER_SIZE];
static char path[128];
static struct state_file file;
static struct last_known *store;
static const struct bytes boot = {(const uint8_t *)"a boot", 6};

static int begin(void **state)
{
    if (make_folder(folder) != 0) {
        return -1;
    }
    snprintf(path, sizeof path, "%s/kata.lists", folder);
    file = (struct state_file){.folder = folder, .name = "kata", .endpoint = "unix:///run/kata.sock"};
    arena = arena_new((size_t)64 * 1024 * 1024);
    store = last_known_new(LIMIT);
    if (!arena || !store) {
        return -1;
    }
    const struct fixture_item pods[] = {{.id = "p1"}, {.id = "p2", .labels = {{"app", "web"}}}, {.id = "p3"}, {0}};
    const struct fixture_item containers[] = {{.id = "c1", .pod = "p1", .state = 1}, {.id = "c2", .pod = "p2"}, {0}};
    const struct fixture_item created[] = {{.id = "p4"}, {0}};
    struct bytes list = fixture_list(arena, ID_POD, pods);
    last_known_set_list(store, ID_POD, DIALECT_V1ALPHA2, pieces_of(&list), last_known_sequence(store), 100, NULL);
    list = fixture_list(arena, ID_CONTAINER, containers);
    last_known_set_list(store, ID_CONTAINER, DIALECT_V1ALPHA2, pieces_of(&list), last_known_sequence(store), 200, NULL);
    last_known_created(store, ID_POD, DIALECT_V1, fixture_list(arena, ID_POD, created), NULL);
    last_known_set_status(store, ID_CONTAINER, DIALECT_V1ALPHA2, fixture_status(arena, ID_CONTAINER, "c1", 1, 30),
                          last_known_sequence(store), 300, NULL);
    last_known_removed(store, ID_POD, bytes_of_string("p2"));
    return 0;
}

static int end(void **state)
{
    last_known_free(store);
    arena_unref(arena);
    return remove_folder(folder);
}

static const char *known(struct last_known *of, enum id_kind kind)
{
    struct list_filter all = {0};
    struct last_known_list list;
    if (!last_known_list(of, kind, &all, arena, &list, NULL)) {
        return "nothing known";
    }
    struct bytes joined = {0};
    for (size_t i = 0; i < list.count; i++) {
        joined = fixture_join(arena, joined, list.pieces[i].response);
    }
    return fixture_ids(arena, kind, joined);
}

static void expect_the_same(struct last_known *copy)
{
    assert_non_null(copy);
    assert_string_equal(known(copy, ID_POD), "p1 p3 p4");
    assert_string_equal(known(copy, ID_CONTAINER), "c1");
    struct last_known_piece status;
    int64_t taken_at;
    assert_true(last_known_status(copy, ID_CONTAINER, bytes_of_string("c1"), &status, &taken_at));
    assert_int_equal(taken_at, 300);
    assert_int_equal(status.dialect, DIALECT_V1ALPHA2);
    assert_true(last_known_taken_at(copy, ID_POD, &taken_at));
    assert_int_equal(taken_at, 100);
    last_known_free(copy);
}

static void must_write(void)
{
    struct error error = {0};
    if (!state_file_write(&file, store, &error)) {
        fail_msg("%s", error.message);
    }
}

/* Reading must fail in that way, with a reason. */
static void expect_refused(enum status_code code, const char *reason)
{
    struct error error = {0};
    assert_null(state_file_read(&file, LIMIT, NOW, &error));
    assert_int_equal(error.code, code);
    if (!strstr(error.message, reason)) {
        fail_msg("\"%s\" is not in: %s", reason, error.message);
    }
}

static void store_bytes(struct bytes content)
{
    int out = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(out >= 0);
    assert_int_equal(write(out, content.data, content.len), content.len);
    close(out);
}

/* ---- files ---- */

EACH_TEST(begin, end)

TEST(what_is_written_is_read_again)
{
    must_write();
    must_write();
    struct error error = {0};
    expect_the_same(state_file_read(&file, LIMIT, NOW, &error));
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    char parsed[160];
    snprintf(parsed, sizeof parsed, "%s.new", path);
    assert_int_equal(access(parsed, F_OK), -1);
}

TEST(nothing_known_is_written_too)
{
    struct last_known *empty = last_known_new(LIMIT);
    assert_true(state_file_write(&file, empty, NULL));
    last_known_free(empty);
    struct last_known *copy = state_file_read(&file, LIMIT, NOW, NULL);
    assert_non_null(copy);
    assert_string_equal(known(copy, ID_POD), "nothing known");
    last_known_free(copy);
}

TEST(no_file_is_not_found)
{
    expect_refused(STATUS_NOT_FOUND, "kata.lists");
}

TEST(what_is_in_doubt_is_not_believed_until_it_is_written_again)
{
    for (int i = 0; i < 2; i++) {
        assert_true(state_file_doubt(&file, NULL));
        expect_refused(STATUS_DATA_LOSS, "a creation was under way");
        must_write();
        expect_the_same(state_file_read(&file, LIMIT, NOW, NULL));
    }
}

TEST(what_is_removed_is_gone_unless_it_is_not_ours)
{
    struct error error = {0};
    assert_false(state_file_remove(&file, &error));
    assert_int_equal(error.code, STATUS_NOT_FOUND);
    must_write();
    assert_true(state_file_remove(&file, NULL));
    expect_refused(STATUS_NOT_FOUND, "kata.lists");
    must_write();
    assert_int_equal(chmod(path, 0644), 0);
    assert_false(state_file_remove(&file, &error));
    assert_int_equal(error.code, STATUS_FAILED_PRECONDITION);
    assert_int_equal(access(path, F_OK), 0);
}

TEST(doubt_leaves_alone_what_is_not_ours)
{
    char target[96];
    struct error error = {0};
    snprintf(target, sizeof target, "%s/target", folder);
    must_write();
    assert_int_equal(rename(path, target), 0);
    assert_int_equal(symlink(target, path), 0);
    assert_false(state_file_doubt(&file, &error));
    assert_int_equal(error.code, STATUS_FAILED_PRECONDITION);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(link(target, path), 0);
    assert_false(state_file_doubt(&file, &error));
    assert_int_equal(unlink(target), 0);
    expect_the_same(state_file_read(&file, LIMIT, NOW, NULL));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_false(state_file_doubt(&file, &error));
}

TEST(no_folder_is_told)
{
    file.folder = "/nonexistent/crigate";
    struct error error = {0};
    assert_false(state_file_write(&file, store, &error));
    assert_non_null(strstr(error.message, "/nonexistent/crigate"));
    expect_refused(STATUS_NOT_FOUND, "/nonexistent/crigate");
    assert_false(state_file_doubt(&file, NULL));
}

TEST(names_do_not_lead_out_of_the_folder)
{
    static const char *const names[] = {"../kata", "/etc/passwd", ".", "", "a/b"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        file.name = names[i];
        struct error error = {0};
        assert_false(state_file_write(&file, store, &error));
        assert_int_equal(error.code, STATUS_INVALID_ARGUMENT);
        expect_refused(STATUS_INVALID_ARGUMENT, "cannot be part of a file's name");
        assert_false(state_file_doubt(&file, NULL));
    }
}

TEST(a_symbolic_link_is_left_alone)
{
    char target[96];
    snprintf(target, sizeof target, "%s/target", folder);
    must_write();
    assert_int_equal(rename(path, target), 0);
    assert_int_equal(symlink(target, path), 0);
    expect_refused(STATUS_FAILED_PRECONDITION, "symbolic link");
    char parsed[160];
    snprintf(parsed, sizeof parsed, "%s.new", path);
    assert_int_equal(symlink(target, parsed), 0);
    struct error error = {0};
    assert_false(state_file_write(&file, store, &error));
    assert_int_equal(error.code, STATUS_FAILED_PRECONDITION);
    assert_int_equal(unlink(parsed), 0);
    must_write();
    struct stat status;
    assert_int_equal(lstat(path, &status), 0);
    assert_true(S_ISREG(status.st_mode));
}

TEST(what_others_may_have_written_is_not_believed)
{
    must_write();
    assert_int_equal(chmod(path, 0620), 0);
    expect_refused(STATUS_FAILED_PRECONDITION, "mode 0600");
    assert_int_equal(chmod(path, 0600), 0);
    char second[96];
    snprintf(second, sizeof second, "%s/second", folder);
    assert_int_equal(link(path, second), 0);
    expect_refused(STATUS_FAILED_PRECONDITION, "one name");
    assert_int_equal(unlink(second), 0);
    expect_the_same(state_file_read(&file, LIMIT, NOW, NULL));
    if (geteuid() != 0) {
        return; /* Only root can give a file away. */
    }
    assert_int_equal(chown(path, 12345, (gid_t)-1), 0);
    expect_refused(STATUS_FAILED_PRECONDITION, "belongs to uid 0");
}

TEST(what_is_no_file_does_not_block)
{
    assert_int_equal(mkfifo(path, 0600), 0);
    expect_refused(STATUS_FAILED_PRECONDITION, "is not a file");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    expect_refused(STATUS_FAILED_PRECONDITION, "is not a file");
}

TEST(a_draft_left_behind_is_no_hindrance)
{
    char parsed[160];
    snprintf(parsed, sizeof parsed, "%s.new", path);
    FILE *left = fopen(parsed, "we");
    assert_non_null(left);
    for (int i = 0; i < 10000; i++) {
        fputs("left behind by one that was killed", left);
    }
    assert_int_equal(fclose(left), 0);
    assert_int_equal(chmod(parsed, 0600), 0);
    must_write();
    expect_the_same(state_file_read(&file, LIMIT, NOW, NULL));
}

TEST(two_processes_do_not_write_one_draft)
{
    must_write();
    char parsed[160];
    snprintf(parsed, sizeof parsed, "%s.new", path);
    int other = open(parsed, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(flock(other, LOCK_EX), 0);
    struct error error = {0};
    assert_false(state_file_write(&file, store, &error));
    assert_int_equal(error.code, STATUS_UNAVAILABLE);
    assert_int_equal(access(parsed, F_OK), 0);
    expect_the_same(state_file_read(&file, LIMIT, NOW, NULL));
    close(other);
    must_write();
}

/* Readers and writers at the same time: what is read is always whole. */
TEST(it_changes_at_once)
{
    must_write();
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        for (int i = 0; i < 300; i++) {
            state_file_write(&file, store, NULL);
        }
        _exit(0);
    }
    int status = 0;
    unsigned reads = 0;
    do {
        expect_the_same(state_file_read(&file, LIMIT, NOW, NULL));
        state_file_write(&file, store, NULL);
        reads++;
    } while (waitpid(child, &status, WNOHANG) == 0);
    assert_int_equal(status, 0);
    assert_true(reads > 0);
}

/* ---- contents ---- */

TEST(another_runtimes_file_is_not_believed)
{
    must_write();
    file.endpoint = "unix:///run/another.sock";
    expect_refused(STATUS_FAILED_PRECONDITION, "another endpoint");
    char other[96];
    snprintf(other, sizeof other, "%s/runc.lists", folder);
    assert_int_equal(rename(path, other), 0);
    file.name = "runc";
    expect_refused(STATUS_FAILED_PRECONDITION, "another runtime");
}

TEST(a_file_of_another_boot_is_not_believed)
{
    struct bytes content = state_file_encode(&file, boot, store);
    struct error error = {0};
    assert_null(state_file_decode(&file, bytes_of_string("later"), content, LIMIT, NOW, &error));
    assert_int_equal(error.code, STATUS_FAILED_PRECONDITION);
    assert_non_null(strstr(error.message, "boot"));
    assert_null(state_file_decode(&file, boot, content, LIMIT, 250, &error));
    assert_non_null(strstr(error.message, "future"));
    expect_the_same(state_file_decode(&file, boot, content, LIMIT, 300, &error));
    free((void *)(uintptr_t)content.data);
}

TEST(too_big_a_file_is_not_read)
{
    must_write();
    assert_int_equal(truncate(path, (off_t)2 * LIMIT), 0);
    expect_refused(STATUS_RESOURCE_EXHAUSTED, "at most");
}

TEST(a_file_beyond_the_stores_limit_is_not_half_loaded)
{
    struct bytes content = state_file_encode(&file, boot, store);
    struct error error = {0};
    assert_null(state_file_decode(&file, boot, content, 700, NOW, &error));
    assert_int_equal(error.code, STATUS_RESOURCE_EXHAUSTED);
    free((void *)(uintptr_t)content.data);
}

TEST(foreign_files_are_told)
{
    store_bytes(bytes_of_string("something else entirely, long enough for a header"));
    expect_refused(STATUS_FAILED_PRECONDITION, "not a file of last-known lists");
    store_bytes(bytes_of("CRIlists\2\0\0\0", 12));
    expect_refused(STATUS_FAILED_PRECONDITION, "version 2");
}

/* With a checksum that fits, so that what is behind it is looked at. */
static void sign(uint8_t *data, size_t len)
{
    const struct hash_key everybodys = {{1, 0}};
    uint64_t sum = keyed_hash(&everybodys, bytes_of(data + HEADER_SIZE, len - HEADER_SIZE));
    for (size_t i = 0; i < 8; i++) {
        data[CHECKSUM_AT + i] = (uint8_t)(sum >> (8 * i));
    }
}

TEST(every_cut_is_noticed)
{
    struct bytes content = state_file_encode(&file, boot, store);
    uint8_t *data = malloc(content.len + 1);
    assert_non_null(data);
    for (size_t len = 0; len < content.len; len++) {
        struct error error = {0};
        assert_null(state_file_decode(&file, boot, bytes_of(content.data, len), LIMIT, NOW, &error));
        assert_int_not_equal(error.code, STATUS_OK);
        if (len < HEADER_SIZE) {
            continue;
        }
        memcpy(data, content.data, len);
        sign(data, len);
        assert_null(state_file_decode(&file, boot, bytes_of(data, len), LIMIT, NOW, &error));
        assert_int_equal(error.code, STATUS_DATA_LOSS);
    }
    memcpy(data, content.data, content.len);
    data[content.len] = 0;
    sign(data, content.len + 1);
    struct error error = {0};
    assert_null(state_file_decode(&file, boot, bytes_of(data, content.len + 1), LIMIT, NOW, &error));
    assert_non_null(strstr(error.message, "follows its end"));
    free(data);
    free((void *)(uintptr_t)content.data);
}

TEST(every_changed_byte_is_noticed)
{
    struct bytes content = state_file_encode(&file, boot, store);
    uint8_t *data = malloc(content.len);
    assert_non_null(data);
    memcpy(data, content.data, content.len);
    unsigned believed = 0;
    for (size_t i = 0; i < content.len; i++) {
        data[i] ^= 0x41;
        assert_null(state_file_decode(&file, boot, bytes_of(data, content.len), LIMIT, NOW, NULL));
        sign(data, content.len);
        struct error error = {0};
        struct last_known *changed = state_file_decode(&file, boot, bytes_of(data, content.len), LIMIT, NOW, &error);
        assert_true(changed || error.code != STATUS_OK);
        believed += changed != NULL;
        last_known_free(changed);
        data[i] ^= 0x41;
        memcpy(data, content.data, HEADER_SIZE);
    }
    /* Letters of ids and labels may change unnoticed where somebody signs anew. */
    assert_true(believed > 0);
    free(data);
    free((void *)(uintptr_t)content.data);
}
