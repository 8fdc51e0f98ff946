/* Files of the node: read, replaced and removed in one step, or left as they are. */
#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "node/files/node_file.h"
#include "node/files/node_folder.h"
#include "tests/cmocka.h"
#include "tests/unit/fixture.h"

static char folder[FOLDER_SIZE];
static char path[128];
static struct error error;

static int begin(void **state)
{
    error = (struct error){0};
    if (arena_begin(state) != 0 || make_folder(folder) != 0) {
        return -1;
    }
    snprintf(path, sizeof path, "%s/config.yaml", folder);
    write_text(path, "a: 1\n");
    return 0;
}

static int end(void **state)
{
    arena_end(state);
    return remove_folder(folder);
}

static struct node_file read_file(const char *name)
{
    struct node_file file;
    assert_true(node_file_read(name, arena, &file, &error));
    return file;
}

static void assert_text(const char *name, const char *text)
{
    struct node_file file = read_file(name);
    assert_int_equal(file.present, text != NULL);
    if (text) {
        assert_int_equal(file.text.len, strlen(text));
        assert_string_equal((const char *)file.text.data, text);
    }
}

static size_t files_in(const char *name)
{
    DIR *opened = opendir(name);
    assert_non_null(opened);
    size_t count = 0;
    while (readdir(opened)) {
        count++;
    }
    closedir(opened);
    return count - 2;
}

static bool replace(const struct node_file *file, const char *text)
{
    error = (struct error){0};
    return node_file_replace(file, bytes_of_string(text), 0640, &error);
}

/* ---- reading ---- */

EACH_TEST(begin, end)

TEST(a_file_is_read_whole)
{
    struct node_file file = read_file(path);
    assert_string_equal(file.path, path);
    assert_true(file.path != path);
    assert_text(path, "a: 1\n");
    assert_int_equal(file.status.st_size, 5);
    write_text(path, "");
    assert_text(path, "");
}

TEST(a_missing_file_or_folder_is_no_failure)
{
    char name[192];
    snprintf(name, sizeof name, "%s/none", folder);
    assert_text(name, NULL);
    snprintf(name, sizeof name, "%s/none/none", folder);
    assert_text(name, NULL);
}

TEST(what_is_no_regular_file_is_refused)
{
    char names[4][192];
    const char *const kinds[] = {"link", "pipe", "folder", "loop"};
    for (unsigned i = 0; i < 4; i++) {
        snprintf(names[i], sizeof names[i], "%s/%s", folder, kinds[i]);
    }
    assert_int_equal(symlink(path, names[0]), 0);
    assert_int_equal(mkfifo(names[1], 0600), 0);
    assert_int_equal(mkdir(names[2], 0700), 0);
    assert_int_equal(symlink(names[3], names[3]), 0);
    for (unsigned i = 0; i < 4; i++) {
        struct node_file file;
        error = (struct error){0};
        assert_false(node_file_read(names[i], arena, &file, &error));
        assert_int_equal(error.code, STATUS_FAILED_PRECONDITION);
        assert_non_null(strstr(error.message, names[i]));
    }
}

TEST(a_file_that_is_too_big_is_refused)
{
    struct node_file file;
    assert_int_equal(truncate(path, NODE_FILE_LARGEST), 0);
    assert_true(node_file_read(path, arena, &file, &error));
    assert_int_equal(file.text.len, NODE_FILE_LARGEST);
    assert_int_equal(truncate(path, NODE_FILE_LARGEST + 1), 0);
    assert_false(node_file_read(path, arena, &file, &error));
    assert_int_equal(error.code, STATUS_RESOURCE_EXHAUSTED);
}

/* ---- replacing ---- */

/* An access list: the owner and the group may read and write, uid 1 may read, others nothing. */
static const uint8_t acl[] = {
    2,  0, 0, 0,                         /* version */
    1,  0, 6, 0, 0xff, 0xff, 0xff, 0xff, /* owner */
    2,  0, 4, 0, 1,    0,    0,    0,    /* uid 1 */
    4,  0, 6, 0, 0xff, 0xff, 0xff, 0xff, /* group */
    16, 0, 6, 0, 0xff, 0xff, 0xff, 0xff, /* mask */
    32, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, /* others */
};

TEST(owner_mode_and_attributes_are_kept)
{
    bool root = geteuid() == 0;
    assert_int_equal(chown(path, root ? 12 : geteuid(), root ? 34 : getegid()), 0);
    assert_int_equal(chmod(path, 0664), 0);
    assert_int_equal(setxattr(path, "user.note", "text", 4, 0), 0);
    bool has_acl = setxattr(path, "system.posix_acl_access", acl, sizeof acl, 0) == 0;
    struct node_file file = read_file(path);
    assert_true(replace(&file, "b: 2\n"));
    assert_text(path, "b: 2\n");
    struct node_file after = read_file(path);
    assert_int_equal(after.status.st_uid, file.status.st_uid);
    assert_int_equal(after.status.st_gid, file.status.st_gid);
    assert_int_equal(after.status.st_mode, file.status.st_mode);
    assert_true(after.status.st_ino != file.status.st_ino);
    char value[64];
    assert_int_equal(getxattr(path, "user.note", value, sizeof value), 4);
    assert_memory_equal(value, "text", 4);
    if (has_acl) {
        assert_int_equal(getxattr(path, "system.posix_acl_access", value, sizeof value), sizeof acl);
        assert_memory_equal(value, acl, sizeof acl);
    }
    assert_int_equal(files_in(folder), 1);
}

TEST(a_default_access_list_of_the_folder_is_not_taken_over)
{
    bool has_acl = setxattr(folder, "system.posix_acl_default", acl, sizeof acl, 0) == 0;
    struct node_file file = read_file(path);
    assert_true(replace(&file, "b: 2\n"));
    assert_true(getxattr(path, "system.posix_acl_access", NULL, 0) < 0);
    assert_int_equal(read_file(path).status.st_mode, file.status.st_mode);
    assert_true(has_acl || geteuid() != 0);
}

TEST(a_new_file_has_the_mode_and_its_folders)
{
    char name[192];
    struct stat status;
    snprintf(name, sizeof name, "%s/a/b/new.conf", folder);
    struct node_file file = read_file(name);
    mode_t mask = umask(077);
    assert_int_equal(node_folders_missing(name), 2);
    assert_true(replace(&file, "new"));
    umask(mask);
    assert_text(name, "new");
    assert_int_equal(read_file(name).status.st_mode & 07777, 0640);
    snprintf(name, sizeof name, "%s/a/b", folder);
    assert_int_equal(stat(name, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0755);
    assert_int_equal(files_in(name), 1);
    snprintf(name, sizeof name, "%s/a/b/new.conf", folder);
    assert_int_equal(unlink(name), 0);
    assert_true(node_folders_remove(name, 3, &error));
    assert_int_equal(files_in(folder), 1); /* which is not empty, and so is still there */
}

TEST(a_file_that_changed_since_is_left_alone)
{
    struct node_file file = read_file(path);
    write_text(path, "a: 2\n");
    assert_false(replace(&file, "b"));
    assert_int_equal(error.code, STATUS_FAILED_PRECONDITION);
    assert_false(node_file_remove(&file, &error));
    assert_text(path, "a: 2\n");

    write_text(path, "a: 1\nb: 1\n");
    assert_false(replace(&file, "b"));
    write_text(path, "a: ");
    assert_false(replace(&file, "b"));

    char other[192];
    snprintf(other, sizeof other, "%s/other", folder);
    write_text(other, "a: 1\n");
    assert_int_equal(rename(other, path), 0);
    assert_false(replace(&file, "b")); /* the same text in another file */
    assert_int_equal(unlink(path), 0);
    assert_false(replace(&file, "b"));
    assert_int_equal(error.code, STATUS_FAILED_PRECONDITION);
    assert_int_equal(files_in(folder), 0);

    file = read_file(path);
    write_text(path, "made meanwhile");
    assert_false(replace(&file, "b"));
    assert_int_equal(error.code, STATUS_FAILED_PRECONDITION);
    assert_text(path, "made meanwhile");
    assert_int_equal(symlink("config.yaml", other), 0);
    assert_false(replace(&(struct node_file){.path = other}, "b"));
    assert_int_equal(files_in(folder), 2);
}

TEST(a_killed_process_leaves_nothing_that_is_in_the_way)
{
    char draft[192];
    snprintf(draft, sizeof draft, "%s/.config.yaml.crigate", folder);
    write_text(draft, "half of");
    struct node_file file = read_file(path);
    assert_true(replace(&file, "b"));
    assert_text(path, "b");
    assert_int_equal(files_in(folder), 1);
    assert_int_equal(symlink("/etc/passwd", draft), 0);
    assert_true(node_file_remove_draft(path, &error));
    assert_true(node_file_remove_draft(path, &error));
    assert_int_equal(files_in(folder), 1);
}

/* Somebody's folder with the name of a draft. */
TEST(a_folder_with_the_name_of_a_draft_is_left_alone)
{
    char draft[192], next[192];
    snprintf(draft, sizeof draft, "%s/.config.yaml.crigate", folder);
    snprintf(next, sizeof next, "%s/.config.yaml.1.crigate", folder);
    assert_int_equal(mkdir(draft, 0700), 0);
    write_text(next, "half of");
    struct node_file file = read_file(path);
    assert_true(replace(&file, "b"));
    assert_text(path, "b");
    assert_int_equal(files_in(folder), 2);
    write_text(next, "half of");
    assert_true(node_file_remove_draft(path, &error));
    assert_int_equal(files_in(folder), 2);
    assert_int_equal(rmdir(draft), 0);
}

TEST(a_hard_link_is_named)
{
    char other[192];
    struct node_file file = read_file(path);
    assert_true(node_file_check_links(&file, &error));
    snprintf(other, sizeof other, "%s/other", folder);
    assert_int_equal(link(path, other), 0);
    file = read_file(path);
    assert_false(node_file_check_links(&file, &error));
    assert_int_equal(error.code, STATUS_FAILED_PRECONDITION);
    assert_non_null(strstr(error.message, "has 2 names"));
    assert_int_equal(unlink(other), 0);
}

TEST(a_file_is_removed)
{
    struct node_file file = read_file(path);
    assert_true(node_file_remove(&file, &error));
    assert_text(path, NULL);
    file = read_file(path);
    assert_true(node_file_remove(&file, &error));
}

TEST(a_file_is_restored_with_all_that_it_had)
{
    struct file_attributes attributes;
    assert_int_equal(setxattr(path, "user.note", "text", 4, 0), 0);
    struct node_file before = read_file(path);
    assert_true(node_file_attributes(&before, arena, &attributes, &error));
    assert_true(attributes.count >= 1);
    assert_true(node_file_remove(&before, &error));
    struct node_file none = read_file(path);
    assert_true(node_file_restore(&none, before.text, &before.status, &attributes, &error));
    assert_text(path, "a: 1\n");
    struct node_file after = read_file(path);
    assert_int_equal(after.status.st_mode, before.status.st_mode);
    assert_int_equal(after.status.st_uid, before.status.st_uid);
    assert_int_equal(after.status.st_mtim.tv_sec, before.status.st_mtim.tv_sec);
    assert_int_equal(after.status.st_mtim.tv_nsec, before.status.st_mtim.tv_nsec);
    char value[8];
    assert_int_equal(getxattr(path, "user.note", value, sizeof value), 4);
    write_text(path, "a: 2\n");
    assert_false(node_file_attributes(&before, arena, &attributes, &error));
    assert_int_equal(error.code, STATUS_FAILED_PRECONDITION);
}

/* ---- what the system refuses ---- */

static bool set_immutable(const char *name, bool on)
{
    int file = open(name, O_RDONLY | O_CLOEXEC);
    int flags = 0;
    bool done = file >= 0 && ioctl(file, FS_IOC_GETFLAGS, &flags) == 0;
    flags = on ? flags | FS_IMMUTABLE_FL : flags & ~FS_IMMUTABLE_FL;
    done = done && ioctl(file, FS_IOC_SETFLAGS, &flags) == 0;
    close(file);
    return done;
}

/* Where a file cannot be made immutable, it is replaced like any other. */
TEST(an_immutable_file_or_folder_is_named)
{
    const char *const names[] = {path, folder};
    for (unsigned i = 0; i < 2; i++) {
        struct node_file file = read_file(path);
        bool immutable = set_immutable(names[i], true);
        bool done = replace(&file, "a: 1\n");
        set_immutable(names[i], false);
        assert_int_equal(done, !immutable);
        if (immutable) {
            char expected[192];
            snprintf(expected, sizeof expected, "%s is immutable", names[i]);
            assert_int_equal(error.code, STATUS_PERMISSION_DENIED);
            assert_non_null(strstr(error.message, expected));
        }
        assert_text(path, "a: 1\n");
        assert_int_equal(files_in(folder), 1);
    }
}

/* Runs in a child with a mount namespace of its own, in which the folder is a small file system in memory. */
static int in_small_file_system(void (*run)(void))
{
    pid_t child = fork();
    if (child == 0) {
        if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
            mount("none", "/tmp", "tmpfs", 0, "size=128k,mode=0755") != 0 || mkdir(folder, 0755) != 0) {
            _exit(2);
        }
        run();
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* In the child, an assertion of cmocka's would run on in the parent's tests. */
static void must(bool holds, int line)
{
    if (!holds) {
        fprintf(stderr, "node_file_test.c:%d: %s\n", line, error.message);
        _exit(1);
    }
}
#define MUST(holds) must(holds, __LINE__)

static void fill_disk(void)
{
    static char big[NODE_FILE_LARGEST];
    char name[192];
    struct node_file file;
    write_text(path, "a: 1\n");
    MUST(node_file_read(path, arena, &file, &error));
    MUST(!node_file_replace(&file, bytes_of(big, sizeof big), 0600, &error));
    MUST(error.code == STATUS_RESOURCE_EXHAUSTED);
    MUST(files_in(folder) == 1);
    snprintf(name, sizeof name, "%s/a/b/new", folder);
    MUST(node_file_read(name, arena, &file, &error));
    MUST(!node_file_replace(&file, bytes_of(big, sizeof big), 0600, &error));
    MUST(files_in(folder) == 1);
    MUST(node_file_read(path, arena, &file, &error) && bytes_equal(file.text, bytes_of_string("a: 1\n")));
    MUST(mount("none", "/tmp", NULL, MS_REMOUNT | MS_RDONLY, NULL) == 0);
    MUST(!node_file_replace(&file, bytes_of("b", 1), 0600, &error) && error.code == STATUS_FAILED_PRECONDITION);
    MUST(!node_file_remove(&file, &error) && error.code == STATUS_FAILED_PRECONDITION);
    MUST(strstr(error.message, "Read-only file system"));
}

/* In place, as there is no room beside it. */
static void restore_on_full_disk(void)
{
    struct stat now;
    struct node_file before, after;
    struct file_attributes attributes;
    char filler[192];
    static const char longer[] = "a: 1, as it was before";
    write_text(path, longer);
    MUST(setxattr(path, "trusted.note", "text", 4, 0) == 0 && chmod(path, 0640) == 0);
    MUST(node_file_read(path, arena, &before, &error) && node_file_attributes(&before, arena, &attributes, &error));
    write_text(path, "a: 2");
    MUST(removexattr(path, "trusted.note") == 0 && chmod(path, 0600) == 0);
    MUST(node_file_read(path, arena, &after, &error));
    snprintf(filler, sizeof filler, "%s/filler", folder);
    FILE *file = fopen(filler, "w");
    setvbuf(file, NULL, _IONBF, 0);
    while (fputc('x', file) != EOF) {
    }
    fclose(file);
    MUST(node_file_restore(&after, before.text, &before.status, &attributes, &error));
    MUST(node_file_read(path, arena, &after, &error) && bytes_equal(after.text, bytes_of_string(longer)));
    MUST(getxattr(path, "trusted.note", filler, sizeof filler) == 4 && stat(path, &now) == 0 && (now.st_mode & 07777) == 0640);
    MUST(now.st_mtim.tv_sec == before.status.st_mtim.tv_sec && now.st_mtim.tv_nsec == before.status.st_mtim.tv_nsec);
}

TEST(a_file_is_restored_on_a_full_disk)
{
    assert_int_equal(in_small_file_system(restore_on_full_disk), geteuid() == 0 ? 0 : 2);
}

TEST(a_full_or_read_only_disk_leaves_all_as_it_was)
{
    assert_int_equal(in_small_file_system(fill_disk), geteuid() == 0 ? 0 : 2);
}

/* ---- owners ---- */

static bool is_roots(const char *name)
{
    error = (struct error){0};
    return node_file_check_owner(name, &error);
}

static void make_links(void)
{
    MUST(is_roots(folder));
    MUST(is_roots(path)); /* which is not there */
    write_text(path, "a: 1\n");
    MUST(chmod(path, 0644) == 0 && is_roots(path));
    MUST(chmod(path, 0664) == 0 && !is_roots(path) && error.code == STATUS_PERMISSION_DENIED);
    MUST(strstr(error.message, "0664") != NULL);
    MUST(chmod(path, 0602) == 0 && !is_roots(path));
    MUST(chmod(path, 0600) == 0 && chown(path, 7, 0) == 0 && !is_roots(path));
    MUST(strstr(error.message, "uid 7") != NULL);
    MUST(chown(path, 0, 7) == 0 && is_roots(path));
    MUST(mkdir("/tmp/real", 0755) == 0 && symlink("../tmp/./real", "/tmp/link") == 0 && symlink("/tmp/link", "/tmp/far") == 0);
    MUST(is_roots("/tmp/far/none/none") && is_roots("/tmp/far/../real//none") && is_roots("/"));
    MUST(chmod("/tmp/real", 0777) == 0 && !is_roots("/tmp/far/none"));
    MUST(strstr(error.message, "/tmp/real has mode 0777") != NULL);
    MUST(symlink("loop", "/tmp/loop") == 0 && !is_roots("/tmp/loop/a") && error.code == STATUS_FAILED_PRECONDITION);
    MUST(!is_roots("tmp") && error.code == STATUS_INVALID_ARGUMENT);
    MUST(chmod("/tmp", 01777) == 0 && !is_roots(path));
}

TEST(what_others_could_write_is_named)
{
    assert_int_equal(in_small_file_system(make_links), geteuid() == 0 ? 0 : 2);
    assert_false(is_roots(path)); /* everybody may write to /tmp */
    assert_int_equal(error.code, STATUS_PERMISSION_DENIED);
}

EACH_TEST(NULL, NULL)

TEST(a_path_by_way_of_another_folder_is_the_same)
{
    assert_true(node_path_is_same("/proc/self/not-there", "/proc/self/not-there"));
    assert_true(node_path_is_same("/tmp/../tmp/not-there", "/tmp/not-there"));
    assert_false(node_path_is_same("/tmp/not-there", "/tmp/nor-this"));
    assert_false(node_path_is_same("/no/such/folder/a", "/no/such/folder/../folder/a"));
}
