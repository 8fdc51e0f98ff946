#include "node/install/host_program.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/descriptor.h"
#include "base/system/file.h"
#include "node/deploy/shipped.h"
#include "node/files/draft.h"
#include "node/files/node_file.h"
#include "node/files/node_folder.h"
#include "node/files/system_error.h"
#include "node/systemd/run.h"

#define MEMORY ((size_t)16 << 20)
#define PIECE ((size_t)1 << 16)
#define MODE 0755
#define LABEL_TIMEOUT 10000

/* Of HOST_PREFIX, each. */
#define FOLDERS_OF_PROGRAM 2
#define FOLDERS_OF_SCRIPTS 3

struct script {
    const char *path;
    const struct bytes *text;
};

static const struct script scripts[] = {
    {HOST_PREFIX "/libexec/crigate/replace-running", &shipped_replace_running},
    {HOST_PREFIX "/libexec/crigate/take-over", &shipped_take_over},
};

/* Whether the file at the path has the same bytes, and may be run. `self` is at its beginning. */
static bool is_there(int self)
{
    static uint8_t one[PIECE], other[PIECE];
    struct stat status;
    int file = open(HOST_PROGRAM, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    bool same = file >= 0 && fstat(file, &status) == 0 && (status.st_mode & 07777) == MODE;
    ssize_t count = 1;
    while (same && count > 0) {
        count = file_read(self, one, PIECE);
        same = count >= 0 && file_read(file, other, PIECE) == count && memcmp(one, other, (size_t)count) == 0;
    }
    descriptor_close(&file);
    return same;
}

static bool copy(int self, const struct file_draft *draft, struct error *error)
{
    static uint8_t buffer[PIECE];
    ssize_t count = lseek(self, 0, SEEK_SET) == 0 ? 1 : -1;
    while (count > 0 && (count = file_read(self, buffer, PIECE)) > 0) {
        if (!file_draft_write(draft, bytes_of(buffer, (size_t)count), error)) {
            return false;
        }
    }
    if (count < 0) {
        return system_error(error, "read", "/proc/self/exe");
    }
    return fchmod(draft->file, MODE) == 0 || system_error(error, "change the mode of", draft->path);
}

static bool place_program(int self, struct error *error)
{
    FILE_DRAFT_CLEANUP struct file_draft draft = FILE_DRAFT_NONE;
    return node_file_check_owner(HOST_PROGRAM, error) &&
           (is_there(self) || (file_draft_open(&draft, HOST_PROGRAM, error) && copy(self, &draft, error) &&
                               file_draft_sync(&draft, error) && file_draft_place(&draft, false, error)));
}

static bool place_script(const struct script *script, struct arena *arena, struct error *error)
{
    struct node_file file;
    if (!node_file_check_owner(script->path, error) || !node_file_read(script->path, arena, &file, error)) {
        return false;
    }
    return (file.present && bytes_equal(file.text, *script->text)) || node_file_replace(&file, *script->text, MODE, error);
}

static bool place_scripts(struct error *error)
{
    struct arena *arena = arena_new(MEMORY);
    bool placed = arena || error_out_of_memory(error);
    for (size_t i = 0; placed && i < sizeof scripts / sizeof scripts[0]; i++) {
        placed = place_script(&scripts[i], arena, error);
    }
    arena_unref(arena);
    return placed;
}

/* Where SELinux is in force, systemd may refuse programs with the label that a container gives to new files. Elsewhere the
   program is missing, or does nothing. */
static void label(void)
{
    static const char *const arguments[] = {"restorecon", "-R", HOST_PREFIX, NULL};
    struct run_result result;
    struct error error;
    struct arena *arena = arena_new(MEMORY);
    if (arena) {
        run_program(arguments, LABEL_TIMEOUT, arena, &result, &error);
    }
    arena_unref(arena);
}

bool host_program_place(int self, struct error *error)
{
    if (!node_folders_make(HOST_PROGRAM, node_folders_missing(HOST_PROGRAM), error)) {
        return false;
    }
    /* A second process waits: the drafts of both have the same name. */
    int lock = open(HOST_PREFIX "/bin", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool placed = (lock >= 0 && flock(lock, LOCK_EX) == 0) || system_error(error, "lock", HOST_PREFIX "/bin");
    placed = placed && place_scripts(error) && place_program(self, error);
    if (placed) {
        label();
    }
    descriptor_close(&lock);
    return placed;
}

static bool remove_file(const char *path, unsigned folders, struct error *error)
{
    if (unlink(path) != 0 && errno != ENOENT && errno != ENOTDIR) {
        return system_error(error, "remove", path);
    }
    return node_folders_remove(path, folders, error);
}

bool host_program_remove(struct error *error)
{
    bool removed = true;
    for (size_t i = 0; removed && i < sizeof scripts / sizeof scripts[0]; i++) {
        removed = remove_file(scripts[i].path, FOLDERS_OF_SCRIPTS, error);
    }
    return removed && remove_file(HOST_PROGRAM, FOLDERS_OF_PROGRAM, error);
}
