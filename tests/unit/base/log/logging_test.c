/* Where lines of the log go and which: entries of the journal, other levels for a while, the audit file. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/log/audit.h"
#include "base/log/change.h"
#include "base/log/journald.h"
#include "base/log/log.h"
#include "base/log/repeats.h"
#include "base/system/clock.h"
#include "tests/cmocka.h"

static char folder[] = "/tmp/logging.XXXXXX";

static int make_folder(void **state)
{
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
    unlink("socket");
    unlink("audit");
    unlink("audit.1");
    unlink("link");
    return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

/* ---- the journal ---- */

ALL_TESTS(make_folder, remove_folder)

TEST(a_stream_is_the_file_with_its_device_and_inode)
{
    struct stat status;
    char text[64];
    int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    assert_int_equal(fstat(fd, &status), 0);
    snprintf(text, sizeof text, "%ju:%ju", (uintmax_t)status.st_dev, (uintmax_t)status.st_ino);
    assert_true(journald_is_stream(text, fd));
    strcat(text, "x");
    assert_false(journald_is_stream(text, fd));
    snprintf(text, sizeof text, "%ju:%ju", (uintmax_t)status.st_dev, (uintmax_t)status.st_ino + 1);
    assert_false(journald_is_stream(text, fd));
    const char *const wrong[] = {NULL, "", ":", "1", "-1:-1", "a:b", " 1:2"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_false(journald_is_stream(wrong[i], fd));
    }
    close(fd);
}

static int listen_at_socket(void)
{
    const struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "socket"};
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)(const void *)&address, sizeof address), 0);
    return fd;
}

static unsigned open_descriptors(void)
{
    unsigned count = 0;
    for (int fd = 0; fd < 256; fd++) {
        count += fcntl(fd, F_GETFD) >= 0;
    }
    return count;
}

static struct log_entry entry_of(const char *text, struct json_object *fields)
{
    return (struct log_entry){
        .level = LOG_CHANGES, .priority = LOG_PRIORITY_INFO, .message = text, .text = bytes_of_string(text), .fields = fields};
}

TEST(an_entry_has_its_priority_and_fields)
{
    int fd = listen_at_socket();
    struct json_object *fields =
        json_tokener_parse("{\"method\":\"/runtime.v1.RuntimeService/Version\",\"milliseconds\":7,\"runtimes\":[\"a\",\"b\"],"
                           "\"not_carried\":[\"x\"],\"request\":{\"secret\":1},\"reason\":\"two\\nlines https://u:p@h/\"}");
    struct log_entry entry = entry_of("Version milliseconds=7", fields);
    assert_true(journald_send("socket", &entry));
    char got[1024];
    ssize_t size = recv(fd, got, sizeof got, 0);
    static const char want[] = "MESSAGE=Version milliseconds=7\nPRIORITY=6\nSYSLOG_IDENTIFIER=crigate\nCRIGATE_LEVEL=3\n"
                               "CRIGATE_METHOD=Version\nCRIGATE_MILLISECONDS=7\nCRIGATE_RUNTIME=a\nCRIGATE_RUNTIME=b\n"
                               "CRIGATE_REASON\n\x18\0\0\0\0\0\0\0two\nlines https://***@h/\n";
    assert_int_equal(size, sizeof want - 1);
    assert_memory_equal(got, want, sizeof want - 1);
    json_object_put(fields);
    close(fd);
    unlink("socket");
}

TEST(a_line_about_a_runtime_or_a_plugin_names_it)
{
    static const struct {
        const char *text, *field;
    } rows[] = {
        {"runtime vm.local: ready", "\nCRIGATE_RUNTIME=vm.local\n"},
        {"plugin 10-x: hangs", "\nCRIGATE_PLUGIN=10-x\n"},
        {"runtime: x", NULL},
        {"runtime a b: x", NULL},
        {"runtime a", NULL},
    };
    int fd = listen_at_socket();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char got[1024];
        struct log_entry entry = entry_of(rows[i].text, NULL);
        assert_true(journald_send("socket", &entry));
        ssize_t size = recv(fd, got, sizeof got - 1, 0);
        assert_true(size > 0);
        got[size] = '\0';
        assert_true(rows[i].field ? strstr(got, rows[i].field) != NULL : !strstr(got, "CRIGATE_RUNTIME"));
    }
    close(fd);
    unlink("socket");
}

TEST(an_entry_that_is_too_long_for_a_datagram_comes_as_a_sealed_file)
{
    static const size_t size = 4 << 20;
    int fd = listen_at_socket();
    char *text = malloc(size + 1);
    memset(text, 'x', size);
    text[size] = '\0';
    struct log_entry entry = entry_of(text, NULL);
    unsigned before = open_descriptors();
    assert_true(journald_send("socket", &entry));
    assert_int_equal(open_descriptors(), before);
    _Alignas(struct cmsghdr) char room[CMSG_SPACE(sizeof(int))];
    char byte;
    struct iovec piece = {.iov_base = &byte, .iov_len = 1};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    assert_int_equal(recvmsg(fd, &message, MSG_CMSG_CLOEXEC), 0);
    assert_non_null(CMSG_FIRSTHDR(&message));
    int file;
    memcpy(&file, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof file);
    struct stat status;
    assert_int_equal(fstat(file, &status), 0);
    assert_true((size_t)status.st_size > size);
    assert_true(fcntl(file, F_GET_SEALS) & F_SEAL_WRITE);
    close(file);
    close(fd);
    free(text);
    unlink("socket");
}

TEST(an_entry_is_not_taken_where_nobody_listens)
{
    struct log_entry entry = entry_of("a", NULL);
    assert_false(journald_send("socket", &entry));
    int fd = listen_at_socket();
    size_t sent = 0;
    while (journald_send("socket", &entry) && sent < 100000) {
        sent++;
    }
    assert_true(sent > 0 && sent < 100000); /* its queue is full, and nobody waited */
    close(fd);
    unlink("socket");
}

/* ---- another level for a while ---- */

static bool take_nothing(const struct log_entry *entry)
{
    (void)entry;
    return false;
}

/* Reads from there until nothing more comes. */
static size_t drain(int fd, char *text, size_t size)
{
    size_t used = 0;
    ssize_t got = 1;
    while (got > 0 && used < size - 1) {
        got = recv(fd, text + used, size - 1 - used, MSG_DONTWAIT);
        used += got > 0 ? (size_t)got : 0;
    }
    text[used] = '\0';
    return used;
}

/* As journald that hangs: its socket takes nothing, and neither does its stream behind standard error. */
TEST(a_journal_that_hangs_stops_nobody_and_lines_are_counted)
{
    static char text[8 << 20];
    int ends[2], kept = dup(STDERR_FILENO);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    log_configure(&(struct log_settings){.level = LOG_SERIOUS});
    log_send_to(take_nothing);
    dup2(ends[1], STDERR_FILENO);
    alarm(60); /* one that waits is ended by that */
    for (int i = 0; i < 10000; i++) {
        log_line(LOG_SERIOUS, "line %d of many that together are longer than what a socket takes ............................",
                 i);
    }
    alarm(0);
    drain(ends[0], text, sizeof text);
    assert_int_equal(strncmp(text, "<4>line 0 of many", 17), 0);
    assert_null(strstr(text, "line 9999 "));
    log_notice("it goes on");
    drain(ends[0], text, sizeof text);
    dup2(kept, STDERR_FILENO);
    log_send_to(NULL);
    const char *begin = strstr(text, "<5>it goes on\n<4>");
    assert_non_null(begin);
    assert_true(begin == text || begin[-1] == '\n'); /* what was cut off is no part of it */
    assert_true(atoi(begin + strlen("<5>it goes on\n<4>")) > 1000);
    assert_non_null(strstr(begin, " log lines were lost: they were not read in time\n"));
    close(ends[0]);
    close(ends[1]);
    close(kept);
}

TEST(a_change_survives_its_json)
{
    struct error error;
    struct log_change change = {.level = 5, .pod = "uid-web", .until = clock_ns() + 90 * NANOSECONDS_A_SECOND};
    struct log_change again;
    struct json_object *json = log_change_to_json(&change);
    assert_true(log_change_from_json(json, &again, &error));
    assert_int_equal(again.level, 5);
    assert_string_equal(again.pod, "uid-web");
    assert_string_equal(again.runtime, "");
    assert_true(llabs(again.until - change.until) < 10 * NANOSECONDS_A_SECOND);
    json_object_put(json);
}

TEST(a_change_that_makes_no_sense_is_refused)
{
    static const char *const wrong[] = {
        "{}",
        "{\"level\":3}",
        "{\"level\":6,\"milliseconds\":1}",
        "{\"level\":-1,\"milliseconds\":1}",
        "{\"level\":\"3\",\"milliseconds\":1}",
        "{\"level\":3,\"milliseconds\":0}",
        "{\"level\":3,\"milliseconds\":86400001}",
        "{\"level\":3,\"milliseconds\":1,\"pod\":\"\"}",
        "{\"level\":3,\"milliseconds\":1,\"pod\":null}",
        "{\"level\":3,\"milliseconds\":1,\"pod\":\"a\",\"runtime\":\"b\"}",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct error error;
        struct log_change change;
        struct json_object *json = json_tokener_parse(wrong[i]);
        assert_non_null(json);
        assert_false(log_change_from_json(json, &change, &error));
        assert_int_equal(error.code, STATUS_INVALID_ARGUMENT);
        json_object_put(json);
    }
}

TEST(a_change_for_all_lines_changes_the_level_and_a_narrow_one_does_not)
{
    log_configure(&(struct log_settings){.level = LOG_SERIOUS});
    log_change_set(&(struct log_change){.level = LOG_LISTS});
    assert_true(log_enabled(LOG_LISTS));
    assert_false(log_change_is_narrow());
    log_change_set(&(struct log_change){.level = LOG_LISTS, .runtime = "main"});
    assert_false(log_enabled(LOG_FAILED));
    assert_true(log_change_is_narrow());
    log_change_set(NULL);
    struct log_change change;
    assert_false(log_change_get(&change));
    assert_int_equal(log_level(), LOG_SERIOUS);
}

static bool is_in(const char *text)
{
    struct json_object *json = json_tokener_parse(text);
    bool in = log_change_pod_is_in(json);
    json_object_put(json);
    return in;
}

static void learn(const char *request, const char *response)
{
    struct json_object *asked = json_tokener_parse(request), *answered = json_tokener_parse(response);
    log_change_learn_pod(asked, answered);
    json_object_put(asked);
    json_object_put(answered);
}

TEST(a_pod_is_known_by_its_uid_and_by_the_ids_that_were_seen_with_it)
{
    log_change_set(&(struct log_change){.level = LOG_LISTS, .pod = "u1"});
    assert_true(is_in("{\"config\":{\"metadata\":{\"uid\":\"u1\"}}}"));
    assert_false(is_in("{\"podSandboxId\":\"p1\"}"));
    learn("{}", "{\"items\":[{\"id\":\"p1\",\"metadata\":{\"uid\":\"u1\"}},{\"id\":\"p2\",\"metadata\":{\"uid\":\"u2\"}}]}");
    assert_true(is_in("{\"podSandboxId\":\"p1\"}"));
    assert_true(log_change_pod_may_be_in(bytes_of_string("\x0a\x02p1")));
    assert_true(log_change_pod_may_be_in(bytes_of_string("\x0a\x02u1")));
    assert_false(log_change_pod_may_be_in(bytes_of_string("\x0a\x02p2")));
    assert_false(log_change_pod_may_be_in((struct bytes){0}));
    assert_false(is_in("{\"podSandboxId\":\"p2\"}"));
    learn("{\"podSandboxId\":\"p1\"}", "{\"containerId\":\"c1\"}");
    learn("{\"podSandboxId\":\"p2\"}", "{\"containerId\":\"c2\"}");
    assert_true(is_in("{\"containerId\":\"c1\"}"));
    assert_false(is_in("{\"containerId\":\"c2\"}"));
    log_change_set(&(struct log_change){.level = LOG_LISTS, .pod = "u2"});
    assert_false(is_in("{\"containerId\":\"c1\"}"));
    log_change_set(NULL);
    assert_false(is_in("{\"config\":{\"metadata\":{\"uid\":\"u2\"}}}"));
    assert_false(log_change_pod_may_be_in(bytes_of_string("u2")));
}

/* ---- the audit file ---- */

static struct json_object *line_of(const char *text)
{
    struct json_object *line = json_object_new_object();
    json_object_object_add(line, "text", json_object_new_string(text));
    return line;
}

static char *content(const char *path)
{
    static char text[4096];
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

TEST(lines_go_to_a_file_that_only_its_owner_reads)
{
    struct error error;
    struct stat status;
    struct audit *audit = audit_open("audit", &error);
    assert_non_null(audit);
    audit_write(audit, line_of("one https://u:p@h/\x7f"));
    audit_write(audit, line_of("two"));
    audit_close(audit);
    assert_string_equal(content("audit"), "{\"text\":\"one https://***@h/\\u007f\"}\n{\"text\":\"two\"}\n");
    assert_int_equal(stat("audit", &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    unlink("audit");
}

TEST(only_a_regular_file_with_one_name_is_taken)
{
    struct error error;
    assert_int_equal(symlink("audit", "link"), 0);
    assert_null(audit_open("link", &error));
    assert_int_equal(error.code, STATUS_INVALID_ARGUMENT);
    assert_int_equal(access("audit", F_OK), -1);
    unlink("link");
    assert_int_equal(mkfifo("link", 0600), 0);
    assert_null(audit_open("link", &error));
    unlink("link");
    close(open("audit", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    assert_int_equal(link("audit", "link"), 0);
    assert_null(audit_open("link", &error));
    assert_int_equal(error.code, STATUS_INVALID_ARGUMENT);
    unlink("link");
    unlink("audit");
    assert_null(audit_open("/dev/full", &error));
    assert_null(audit_open("no/such/folder", &error));
    assert_int_equal(error.code, STATUS_UNAVAILABLE);
}

static void wait_for_file(const char *path)
{
    for (int i = 0; access(path, F_OK) != 0 && i < 2000; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 5 * NANOSECONDS_A_MILLISECOND}, NULL);
    }
}

TEST(a_file_that_was_moved_is_made_again)
{
    struct error error;
    assert_true(audit_use("audit", &error));
    assert_true(audit_is_on());
    assert_int_equal(rename("audit", "audit.1"), 0);
    audit_rotate();
    wait_for_file("audit");
    audit_add(line_of("after"));
    assert_true(audit_use(NULL, &error));
    assert_false(audit_is_on());
    assert_string_equal(content("audit"), "{\"text\":\"after\"}\n");
    assert_string_equal(content("audit.1"), "");
    assert_null(audit_describe());
    unlink("audit");
    unlink("audit.1");
}

static int64_t lost(void)
{
    struct json_object *json = audit_describe(), *number;
    assert_true(json_object_object_get_ex(json, "lost", &number));
    int64_t count = json_object_get_int64(number);
    json_object_put(json);
    return count;
}

TEST(what_cannot_be_kept_is_counted)
{
    struct error error;
    char *big = malloc(AUDIT_BYTES + 1);
    memset(big, 'x', AUDIT_BYTES);
    big[AUDIT_BYTES] = '\0';
    struct audit *audit = audit_open("audit", &error);
    audit_write(audit, line_of(big));
    assert_int_equal(audit_lost(audit), 1);
    audit_close(audit);
    /* A file that cannot be opened stops nobody either. */
    assert_false(audit_use("no/such/folder", &error));
    assert_true(audit_is_on());
    int64_t before = lost();
    audit_add(line_of("a"));
    assert_int_equal(lost(), before + 1);
    /* What was lost of one file still counts when another one is in use. */
    assert_true(audit_use("audit", &error));
    audit_add(line_of(big));
    assert_int_equal(lost(), before + 2);
    assert_true(audit_use("audit.1", &error));
    assert_int_equal(lost(), before + 2);
    assert_true(audit_use(NULL, &error));
    free(big);
    unlink("audit");
    unlink("audit.1");
}

TEST(what_a_full_disk_cuts_off_is_no_part_of_the_next_line)
{
    struct error error;
    struct rlimit before, full;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    full = before;
    full.rlim_cur = 20;
    signal(SIGXFSZ, SIG_IGN);
    struct audit *audit = audit_open("audit", &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &full), 0);
    audit_write(audit, line_of("0123456789"));
    audit_write(audit, line_of("lost"));
    for (int i = 0; audit_lost(audit) < 2 && i < 2000; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 5 * NANOSECONDS_A_MILLISECOND}, NULL);
    }
    assert_int_equal(audit_lost(audit), 2);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    audit_write(audit, line_of("again"));
    audit_close(audit);
    assert_string_equal(content("audit"), "{\"text\":\"0123456789\"\n{\"text\":\"again\"}\n");
    unlink("audit");
}

/* ---- refusals that repeat ---- */

TEST(equal_refusals_have_a_line_a_while)
{
    struct repeats repeats = {0};
    const struct bytes a = bytes_of_string("/a"), b = bytes_of_string("/b");
    unsigned skipped = 7;
    assert_true(repeats_allow(&repeats, a, 14, 1, 1, &skipped));
    assert_int_equal(skipped, 0);
    assert_false(repeats_allow(&repeats, a, 14, 1, 2, &skipped));
    assert_false(repeats_allow(&repeats, a, 14, 1, REPEATS_NS, &skipped));
    /* A different path, code or target makes a different message. */
    assert_true(repeats_allow(&repeats, b, 14, 1, 3, &skipped));
    assert_true(repeats_allow(&repeats, a, 12, 1, 3, &skipped));
    assert_true(repeats_allow(&repeats, a, 14, 2, 3, &skipped));
    assert_true(repeats_allow(&repeats, a, 14, 1, REPEATS_NS + 1, &skipped));
    assert_int_equal(skipped, 2);
    assert_false(repeats_allow(&repeats, a, 14, 1, REPEATS_NS + 2, &skipped));
    repeats_forget(&repeats, a);
    assert_true(repeats_allow(&repeats, a, 14, 1, REPEATS_NS + 3, &skipped));
    assert_int_equal(skipped, 0);
    assert_false(repeats_allow(&repeats, b, 14, 1, 4, &skipped));
    repeats_forget(&repeats, a);
    repeats_forget(&repeats, b);
    assert_int_equal(repeats.used, 0);
}

TEST(more_refusals_than_are_known_have_lines)
{
    struct repeats repeats = {0};
    char path[REPEATS_PATH + 10];
    unsigned skipped;
    for (int i = 0; i < 3 * REPEATS_MOST; i++) {
        snprintf(path, sizeof path, "/%d", i);
        assert_true(repeats_allow(&repeats, bytes_of_string(path), 12, 0, i + 1, &skipped));
        assert_false(repeats_allow(&repeats, bytes_of_string(path), 12, 0, i + 1, &skipped));
    }
    assert_int_equal(repeats.used, REPEATS_MOST);
    assert_true(repeats_allow(&repeats, bytes_of_string("/0"), 12, 0, 1000, &skipped));
    assert_int_equal(skipped, 0);
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    for (int i = 0; i < 2; i++) {
        assert_true(repeats_allow(&repeats, bytes_of_string(path), 12, 0, 1000, &skipped));
        assert_true(repeats_allow(&repeats, bytes_of_string(""), 12, 0, 1000, &skipped));
        assert_true(repeats_allow(&repeats, bytes_of("/\0a", 3), 12, 0, 1000, &skipped));
    }
}
