/* Files of the state folder that belong to this process's user alone. A file that others can write to, that has a second name, or
   that is a symbolic link is neither read nor written: FAILED_PRECONDITION.

   A file is replaced by a draft beside it, which takes its name at once. Nothing is synchronised to a disk: files must outlive a
   process that is killed, not a node that crashes. The state folder is usually in memory, and files are good for one boot only.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/bytes/bytes.h"
#include "base/bytes/error.h"

/* Where a runtime's file is, and whose it is. */
struct state_file {
    const char *folder;
    const char *name;     /* of the runtime */
    const char *endpoint; /* what is known of another endpoint is not believed */
};

#define OWN_FILE_NAME_SIZE 216
#define OWN_FILE_BOOT_SIZE 64

/* An open file, in its open folder. */
struct own_file {
    int folder;
    int file; /* -1: not open */
    char name[OWN_FILE_NAME_SIZE];
    uint64_t size; /* when it was opened */
};

/* Opens FOLDER/NAME + `suffix`, with flags of open(2); O_CREAT makes it with mode 0600. false: NOT_FOUND if there is none,
   INVALID_ARGUMENT for a name that would lead elsewhere, UNAVAILABLE if it cannot be opened. It is closed by own_file_close in
   any case. */
bool own_file_open(struct own_file *file, const struct state_file *place, const char *suffix, int flags, struct error *error);

void own_file_close(struct own_file *file);

/* Closes a local variable's file at the end of its scope. */
#define OWN_FILE_CLEANUP __attribute__((cleanup(own_file_close)))

/* Reads the first `size` bytes that follow. false: DATA_LOSS if there are fewer, UNAVAILABLE. */
bool own_file_read(const struct own_file *file, uint8_t *data, size_t size, struct error *error);

/* Removes what follows the first `size` bytes. */
bool own_file_cut(const struct own_file *file, uint64_t size, struct error *error);

bool own_file_unlink(const struct own_file *file, struct error *error);

/* Whether the other descriptor is of the same file. */
bool own_file_is_same(const struct own_file *file, int other);

/* Puts a file with this content in place of FOLDER/NAME + `suffix`. Returns its descriptor, open to append, which the caller
   closes; -1 with an error if the old file, if any, is still there. UNAVAILABLE also if another process is writing it. */
int own_file_replace(const struct state_file *place, const char *suffix, struct bytes content, struct error *error);

/* The id of this boot of the node; `text` has OWN_FILE_BOOT_SIZE bytes for it. Empty if the kernel does not report it. */
struct bytes own_file_boot(char *text);
