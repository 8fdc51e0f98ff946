#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/store/encoding.h"
#include "core/store/fact_file.h"
#include "tests/cmocka.h"
#include "tests/unit/fixture.h"

static char folder[FOLDER_SIZE];
static char path[128];
static struct state_file place;
static struct fact_store *store;
static struct fact_file *file;

static struct bytes text(const char *string)
{
    return bytes_of_string(string);
}

static void put_pod(const char *id, const char *facts, bool parent_changed)
{
    struct known_pod pod = {.handler = text("kata"), .facts = text(facts), .parent_changed = parent_changed};
    assert_true(fact_store_put_pod(store, text(id), &pod));
}

static void put_container(const char *id, const char *pod_id, const char *facts)
{
    struct known_container container = {
        .pod_id = text(pod_id),
        .facts = text(facts),
        .environment = text("PASSWORD=hidden"),
        .has_environment = true,
    };
    assert_true(fact_store_put_container(store, text(id), &container));
}

static void note(enum id_kind kind, const char *id)
{
    struct error error = {0};
    if (!fact_file_note(file, store, kind, text(id), &error)) {
        fail_msg("%s", error.message);
    }
}

static void must_open(void)
{
    struct error error = {0};
    file = fact_file_open(&place, store, &error);
    assert_non_null(file);
    assert_int_equal(error.code, STATUS_OK);
}

/* The process is killed, and another begins. */
static void forget_all(void)
{
    fact_file_close(file);
    file = NULL;
    fact_store_free(store);
    store = fact_store_new();
    assert_non_null(store);
}

/* Opening must not believe the file, in that way, with a reason. */
static void expect_refused(enum status_code code, const char *reason)
{
    struct error error = {0};
    forget_all();
    file = fact_file_open(&place, store, &error);
    assert_non_null(file);
    assert_int_equal(error.code, code);
    if (!strstr(error.message, reason)) {
        fail_msg("\"%s\" is not in: %s", reason, error.message);
    }
    assert_int_equal(fact_store_count(store, ID_POD), 0);
    assert_int_equal(fact_store_count(store, ID_CONTAINER), 0);
}

static int begin(void **state)
{
    if (make_folder(folder) != 0) {
        return -1;
    }
    snprintf(path, sizeof path, "%s/kata.facts", folder);
    place = (struct state_file){.folder = folder, .name = "kata", .endpoint = "unix:///run/kata.sock"};
    store = fact_store_new();
    struct error error = {0};
    file = store ? fact_file_open(&place, store, &error) : NULL;
    return file && error.code == STATUS_NOT_FOUND ? 0 : -1;
}

static int end(void **state)
{
    fact_file_close(file);
    fact_store_free(store);
    return remove_folder(folder);
}

static void expect_bytes(struct bytes found, const char *expected)
{
    assert_int_equal(found.len, strlen(expected));
    assert_true(bytes_equal(found, text(expected)));
}

static void expect_pod(const char *id, const char *facts, bool parent_changed, bool stopped)
{
    struct known_pod pod;
    assert_true(fact_store_pod(store, text(id), &pod));
    expect_bytes(pod.handler, "kata");
    expect_bytes(pod.facts, facts);
    assert_int_equal(pod.parent_changed, parent_changed);
    assert_int_equal(pod.stopped, stopped);
}

static void expect_container(const char *id, const char *pod_id, const char *facts, bool stopped)
{
    struct known_container container;
    assert_true(fact_store_container(store, text(id), &container));
    expect_bytes(container.pod_id, pod_id);
    expect_bytes(container.facts, facts);
    assert_int_equal(container.stopped, stopped);
    assert_false(container.has_environment);
}

static void write_some(void)
{
    put_pod("p1", "first", true);
    note(ID_POD, "p1");
    put_pod("p2", "second", false);
    note(ID_POD, "p2");
    put_container("c1", "p1", "container");
    note(ID_CONTAINER, "c1");
    assert_true(fact_store_stop(store, ID_CONTAINER, text("c1")));
    note(ID_CONTAINER, "c1");
    put_pod("p1", "first again", true);
    note(ID_POD, "p1");
}

static void expect_some(void)
{
    assert_int_equal(fact_store_count(store, ID_POD), 2);
    assert_int_equal(fact_store_count(store, ID_CONTAINER), 1);
    expect_pod("p1", "first again", true, false);
    expect_pod("p2", "second", false, false);
    expect_container("c1", "p1", "container", true);
}

static off_t size_of_file(void)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return status.st_size;
}

static struct bytes content_of_file(void)
{
    size_t size = (size_t)size_of_file();
    uint8_t *data = malloc(size + 1);
    assert_non_null(data);
    int in = open(path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(read(in, data, size + 1), size);
    close(in);
    return bytes_of(data, size);
}

static void free_bytes(struct bytes bytes)
{
    free((void *)(uintptr_t)bytes.data);
}

static void store_bytes(struct bytes content)
{
    int out = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(out >= 0);
    assert_int_equal(write(out, content.data, content.len), content.len);
    close(out);
}

/* ---- changes ---- */

EACH_TEST(begin, end)

TEST(what_was_noted_is_known_after_a_kill)
{
    write_some();
    for (int i = 0; i < 3; i++) {
        forget_all();
        must_open();
        expect_some();
    }
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
}

TEST(it_goes_on_where_another_was_killed)
{
    write_some();
    forget_all();
    must_open();
    put_pod("p3", "third", false);
    note(ID_POD, "p3");
    fact_store_remove(store, ID_POD, text("p2"));
    note(ID_POD, "p2");
    fact_store_remove(store, ID_CONTAINER, text("c1"));
    note(ID_CONTAINER, "c1");
    forget_all();
    must_open();
    assert_int_equal(fact_store_count(store, ID_POD), 2);
    assert_int_equal(fact_store_count(store, ID_CONTAINER), 0);
    expect_pod("p1", "first again", true, false);
    expect_pod("p3", "third", false, false);
}

TEST(a_pods_removal_is_that_of_its_containers)
{
    write_some();
    put_container("of-no-pod", "p9", "container");
    note(ID_CONTAINER, "of-no-pod");
    fact_store_remove(store, ID_POD, text("p1"));
    note(ID_POD, "p1");
    forget_all();
    must_open();
    assert_int_equal(fact_store_count(store, ID_POD), 1);
    assert_int_equal(fact_store_count(store, ID_CONTAINER), 1);
    expect_container("of-no-pod", "p9", "container", false);
}

TEST(what_changed_without_notes_is_written_at_once)
{
    write_some();
    fact_store_forget_unchanged(store);
    assert_true(fact_file_write(file, store, NULL));
    put_pod("p4", "fourth", false);
    note(ID_POD, "p4");
    forget_all();
    must_open();
    assert_int_equal(fact_store_count(store, ID_POD), 2);
    assert_int_equal(fact_store_count(store, ID_CONTAINER), 0);
    expect_pod("p1", "first again", true, false);
    expect_pod("p4", "fourth", false, false);
}

TEST(environments_are_never_written)
{
    write_some();
    struct bytes appended = content_of_file();
    assert_true(fact_file_write(file, store, NULL));
    struct bytes written = content_of_file();
    assert_non_null(memmem(appended.data, appended.len, "container", 9));
    assert_non_null(memmem(written.data, written.len, "container", 9));
    assert_null(memmem(appended.data, appended.len, "PASSWORD", 8));
    assert_null(memmem(written.data, written.len, "PASSWORD", 8));
    free_bytes(appended);
    free_bytes(written);
}

TEST(it_is_written_anew_when_most_is_out_of_date)
{
    char facts[1001];
    off_t biggest = 0;
    unsigned times = 0;
    for (int i = 0; i < 500; i++) {
        memset(facts, 'a' + i % 26, sizeof facts - 1);
        facts[sizeof facts - 1] = '\0';
        put_pod("p", facts, false);
        off_t before = i > 0 ? size_of_file() : 0;
        note(ID_POD, "p");
        assert_true(size_of_file() > before);
        before = size_of_file();
        fact_file_shorten(file, store);
        times += size_of_file() < before;
        biggest = size_of_file() > biggest ? size_of_file() : biggest;
    }
    assert_true(times >= 2 && times <= 20);
    assert_true(biggest >= 60 * 1024 && biggest <= 70 * 1024);
    forget_all();
    must_open();
    expect_pod("p", facts, false, false);
    assert_int_equal(fact_store_count(store, ID_POD), 1);
}

/* What has no draft stays as it is, and is right. */
TEST(it_does_without_being_written_anew)
{
    char draft[160];
    snprintf(draft, sizeof draft, "%s.new", path);
    char facts[1001] = {0};
    memset(facts, 'a', sizeof facts - 1);
    put_pod("p", facts, false);
    note(ID_POD, "p");
    assert_int_equal(mkdir(draft, 0700), 0);
    for (int i = 0; i < 100; i++) {
        facts[0] = (char)('a' + i % 26);
        put_pod("p", facts, false);
        note(ID_POD, "p");
        fact_file_shorten(file, store);
    }
    assert_int_equal(rmdir(draft), 0);
    /* That is not tried again with each change. */
    note(ID_POD, "p");
    fact_file_shorten(file, store);
    assert_true(size_of_file() > (off_t)100 * 1000);
    for (off_t before = 0; before < size_of_file();) {
        before = size_of_file();
        assert_true(before < (off_t)140 * 1000);
        note(ID_POD, "p");
        fact_file_shorten(file, store);
    }
    assert_true(size_of_file() < 2000);
    forget_all();
    must_open();
    expect_pod("p", facts, false, false);
}

TEST(an_id_that_no_store_knows_is_not_noted)
{
    write_some();
    off_t size = size_of_file();
    char id[FACT_STORE_LONGEST_ID + 2] = {0};
    memset(id, 'i', FACT_STORE_LONGEST_ID + 1);
    note(ID_POD, id);
    note(ID_POD, "");
    assert_int_equal(size_of_file(), size);
}

/* ---- cut off, damaged ---- */

TEST(a_record_that_is_cut_off_is_ignored)
{
    put_pod("p1", "first", true);
    note(ID_POD, "p1");
    off_t whole = size_of_file();
    put_pod("p1", "first again", true);
    note(ID_POD, "p1");
    struct bytes content = content_of_file();
    assert_true(content.len > (size_t)whole + 40);
    for (size_t len = (size_t)whole; len < content.len; len++) {
        forget_all();
        store_bytes(bytes_of(content.data, len));
        must_open();
        expect_pod("p1", "first", true, false);
        assert_int_equal(size_of_file(), whole);
        put_pod("p2", "second", false);
        note(ID_POD, "p2");
        forget_all();
        must_open();
        expect_pod("p1", "first", true, false);
        expect_pod("p2", "second", false, false);
    }
    forget_all();
    store_bytes(content);
    must_open();
    expect_pod("p1", "first again", true, false);
    free_bytes(content);
}

TEST(a_header_that_is_cut_off_is_not_believed)
{
    struct fact_store *empty = fact_store_new();
    struct bytes content = fact_file_encode(&place, text("boot"), empty);
    assert_non_null(content.data);
    for (size_t len = 0; len <= content.len; len++) {
        struct error error = {0};
        size_t whole = 0;
        bool believed = fact_file_decode(&place, text("boot"), bytes_of(content.data, len), empty, &whole, &error);
        assert_int_equal(believed, len == content.len);
        assert_int_equal(error.code, believed ? STATUS_OK : STATUS_DATA_LOSS);
    }
    free_bytes(content);
    fact_store_free(empty);
}

/* Whichever byte changes: nothing of the file is believed. Records that come after it may have replaced those before it. */
TEST(every_changed_byte_is_noticed)
{
    struct fact_store *copy = fact_store_new();
    write_some();
    put_container("of-no-pod", "p9", "container");
    put_container("of-none", "p9", "container");
    struct bytes content = fact_file_encode(&place, text("boot"), store);
    uint8_t *data = malloc(content.len);
    assert_non_null(data);
    memcpy(data, content.data, content.len);
    size_t whole = 0;
    for (size_t i = 0; i < content.len; i++) {
        for (int bit = 0; bit < 8; bit++) {
            data[i] ^= (uint8_t)(1U << bit);
            struct error error = {0};
            assert_false(fact_file_decode(&place, text("boot"), bytes_of(data, content.len), copy, &whole, &error));
            assert_int_not_equal(error.code, STATUS_OK);
            assert_int_equal(fact_store_count(copy, ID_POD) + fact_store_count(copy, ID_CONTAINER), 0);
            data[i] ^= (uint8_t)(1U << bit);
        }
    }
    assert_true(fact_file_decode(&place, text("boot"), bytes_of(data, content.len), copy, &whole, NULL));
    assert_int_equal(whole, content.len);
    assert_int_equal(fact_store_count(copy, ID_POD), 2);
    free(data);
    free_bytes(content);
    fact_store_free(copy);
}

/* A record whose checksums fit. */
static void put_record(struct encoder *encoder, struct bytes content)
{
    uint8_t length[4] = {(uint8_t)content.len, (uint8_t)(content.len >> 8)};
    encoder_put_raw(encoder, bytes_of(length, sizeof length));
    encoder_put_number(encoder, encoded_checksum(1, bytes_of(length, sizeof length)), 4);
    encoder_put_number(encoder, encoded_checksum(1, content), 8);
    encoder_put_raw(encoder, content);
}

static void expect_record(uint8_t kind, uint8_t flags, size_t id_len, int more, enum status_code code)
{
    uint8_t data[1024];
    uint8_t content[512];
    uint8_t id[300];
    memset(id, 'i', sizeof id);
    struct encoder record = {.data = content};
    encoder_put_number(&record, kind, 1);
    encoder_put_number(&record, flags, 1);
    encoder_put_bytes(&record, bytes_of(id, id_len));
    encoder_put_bytes(&record, text("holder"));
    encoder_put_bytes(&record, text("facts"));
    encoder_put_number(&record, 0, 1);
    struct encoder encoder = {.data = data};
    encoder_put_raw(&encoder, text("CRIfacts"));
    encoder_put_number(&encoder, 1, 4);
    encoder_put_owner(&encoder, &place, text("boot"));
    put_record(&encoder, bytes_of(content, (size_t)((long)record.len - 1 + more)));
    struct error error = {0};
    size_t whole = 0;
    forget_all();
    bool believed = fact_file_decode(&place, text("boot"), bytes_of(data, encoder.len), store, &whole, &error);
    assert_int_equal(error.code, code);
    assert_int_equal(believed, code == STATUS_OK);
    assert_int_equal(fact_store_count(store, ID_POD) + fact_store_count(store, ID_CONTAINER), believed && (flags & 1));
}

TEST(records_hold_what_they_should)
{
    expect_record(ID_POD, 7, 255, 0, STATUS_OK);
    expect_record(ID_CONTAINER, 5, 255, 0, STATUS_OK);
    expect_record(ID_CONTAINER, 0, 255, 0, STATUS_OK);
    expect_record(ID_POD, 1, 1, 1, STATUS_DATA_LOSS);
    expect_record(ID_POD, 1, 1, -1, STATUS_DATA_LOSS);
    expect_record(ID_POD, 8, 1, 0, STATUS_DATA_LOSS);
    expect_record(ID_CONTAINER, 3, 1, 0, STATUS_DATA_LOSS);
    expect_record(ID_KIND_COUNT, 1, 1, 0, STATUS_DATA_LOSS);
    expect_record(ID_POD, 1, 256, 0, STATUS_RESOURCE_EXHAUSTED);
}

TEST(a_damaged_file_is_written_anew)
{
    write_some();
    struct bytes content = content_of_file();
    uint8_t *data = (uint8_t *)(uintptr_t)content.data;
    data[content.len / 2] ^= 1;
    store_bytes(content);
    free_bytes(content);
    expect_refused(STATUS_DATA_LOSS, "damaged");
    put_pod("p5", "fifth", false);
    note(ID_POD, "p5");
    forget_all();
    must_open();
    assert_int_equal(fact_store_count(store, ID_POD), 1);
    expect_pod("p5", "fifth", false, false);
}

/* ---- whose it is ---- */

TEST(anothers_facts_are_not_believed)
{
    write_some();
    place.endpoint = "unix:///run/another.sock";
    expect_refused(STATUS_FAILED_PRECONDITION, "another endpoint");
    char other[128];
    snprintf(other, sizeof other, "%s/runc.facts", folder);
    assert_int_equal(rename(path, other), 0);
    place.name = "runc";
    expect_refused(STATUS_FAILED_PRECONDITION, "another runtime");
    struct bytes content = fact_file_encode(&place, text("a boot"), store);
    struct error error = {0};
    size_t whole;
    assert_false(fact_file_decode(&place, text("another"), content, store, &whole, &error));
    assert_int_equal(error.code, STATUS_FAILED_PRECONDITION);
    assert_non_null(strstr(error.message, "another boot"));
    free_bytes(content);
}

TEST(foreign_files_are_not_believed)
{
    store_bytes(text("something else entirely"));
    expect_refused(STATUS_FAILED_PRECONDITION, "not a file of facts");
    store_bytes(bytes_of("CRIfacts\2\0\0\0", 12));
    expect_refused(STATUS_FAILED_PRECONDITION, "version 2");
    store_bytes(text(""));
    expect_refused(STATUS_DATA_LOSS, "truncated");
    assert_int_equal(truncate(path, (off_t)3 * FACT_STORE_LIMIT), 0);
    expect_refused(STATUS_RESOURCE_EXHAUSTED, "at most");
}

TEST(what_others_may_have_written_is_not_believed)
{
    write_some();
    assert_int_equal(chmod(path, 0640), 0);
    expect_refused(STATUS_FAILED_PRECONDITION, "mode 0600");
    struct error error = {0};
    assert_false(fact_file_remove(&place, &error));
    assert_int_equal(error.code, STATUS_FAILED_PRECONDITION);
    assert_int_equal(chmod(path, 0600), 0);
    char second[96];
    snprintf(second, sizeof second, "%s/second", folder);
    assert_int_equal(link(path, second), 0);
    expect_refused(STATUS_FAILED_PRECONDITION, "one name");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    expect_refused(STATUS_FAILED_PRECONDITION, "is not a file");
}

TEST(a_symbolic_link_is_neither_read_nor_written)
{
    char target[96];
    snprintf(target, sizeof target, "%s/target", folder);
    write_some();
    off_t size = size_of_file();
    assert_int_equal(rename(path, target), 0);
    assert_int_equal(symlink(target, path), 0);
    expect_refused(STATUS_FAILED_PRECONDITION, "symbolic link");
    assert_false(fact_file_remove(&place, NULL));
    put_pod("p6", "sixth", false);
    note(ID_POD, "p6");
    struct stat status;
    assert_int_equal(lstat(path, &status), 0);
    assert_true(S_ISREG(status.st_mode));
    assert_int_equal(stat(target, &status), 0);
    assert_int_equal(status.st_size, size);
}

TEST(names_do_not_lead_out_of_the_folder)
{
    static const char *const names[] = {"../kata", "/etc/passwd", ".", "", "a/b"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        place.name = names[i];
        expect_refused(STATUS_INVALID_ARGUMENT, "cannot be part of a file's name");
        assert_false(fact_file_note(file, store, ID_POD, text("p"), NULL));
        assert_false(fact_file_remove(&place, NULL));
    }
}

TEST(what_is_removed_is_gone)
{
    write_some();
    fact_file_close(file);
    file = NULL;
    assert_true(fact_file_remove(&place, NULL));
    expect_refused(STATUS_NOT_FOUND, "kata.facts");
    struct error error = {0};
    assert_false(fact_file_remove(&place, &error));
    assert_int_equal(error.code, STATUS_NOT_FOUND);
}

/* ---- no room ---- */

static void limit_files(rlim_t size)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = size;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Wherever the room ends: an old file is never left to be believed, and the next change writes all. */
TEST(what_cannot_be_written_leaves_no_old_file)
{
    assert_true(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    for (rlim_t room = 0; room < 60; room++) {
        put_pod("p1", "first", true);
        note(ID_POD, "p1");
        put_pod("p1", "first again", true);
        struct error error = {0};
        limit_files((rlim_t)size_of_file() + room);
        bool noted = fact_file_note(file, store, ID_POD, text("p1"), &error);
        limit_files(RLIM_INFINITY);
        if (noted) {
            assert_true(room > 50);
            continue;
        }
        assert_int_equal(error.code, STATUS_UNAVAILABLE);
        assert_non_null(strstr(error.message, "kata.facts"));
        assert_int_equal(access(path, F_OK), -1);
        put_pod("p2", "second", false);
        note(ID_POD, "p2");
        forget_all();
        must_open();
        expect_pod("p1", "first again", true, false);
        expect_pod("p2", "second", false, false);
    }
    limit_files(100);
    bool written = fact_file_write(file, store, NULL);
    limit_files(RLIM_INFINITY);
    assert_false(written);
    expect_refused(STATUS_NOT_FOUND, "kata.facts");
}

TEST(what_cannot_be_written_leaves_the_file_that_took_its_place)
{
    assert_true(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    put_pod("p1", "first", true);
    note(ID_POD, "p1");
    struct fact_store *theirs = fact_store_new();
    struct error error = {0};
    struct fact_file *successor = fact_file_open(&place, theirs, &error);
    assert_true(fact_file_write(successor, theirs, &error));
    limit_files(1);
    assert_false(fact_file_note(file, store, ID_POD, text("p1"), &error));
    limit_files(RLIM_INFINITY);
    assert_int_equal(access(path, F_OK), 0);
    fact_file_close(successor);
    fact_store_free(theirs);
    forget_all();
    must_open();
    assert_int_equal(fact_store_count(store, ID_POD), 1);
}

TEST(no_folder_is_reported)
{
    place.folder = "/nonexistent/crigate";
    expect_refused(STATUS_NOT_FOUND, "/nonexistent/crigate");
    struct error error = {0};
    assert_false(fact_file_note(file, store, ID_POD, text("p"), &error));
    assert_non_null(strstr(error.message, "/nonexistent/crigate"));
}

/* ---- environments ---- */

TEST(environments_pass_to_another_process)
{
    write_some();
    put_container("c2", "p1", "container");
    assert_true(fact_store_set_environment(store, text("c2"), text("")));
    struct bytes environments = fact_file_environments(store);
    assert_non_null(environments.data);
    for (size_t len = 0; len <= environments.len; len++) {
        forget_all();
        must_open();
        fact_file_take_environments(store, bytes_of(environments.data, len));
        expect_pod("p1", "first again", true, false);
        assert_int_equal(fact_store_count(store, ID_CONTAINER), 1);
        struct known_container container;
        assert_true(fact_store_container(store, text("c1"), &container));
        if (container.has_environment) {
            expect_bytes(container.environment, "PASSWORD=hidden");
        }
        assert_int_equal(container.has_environment, fact_store_environment_memory(store) > 0);
        assert_true(container.has_environment || len < environments.len);
    }
    free_bytes(environments);
    fact_store_forget_environments(store);
    assert_null(fact_file_environments(store).data);
}
