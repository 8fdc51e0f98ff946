#include "node/journal/journal.h"

#include <stdio.h>
#include <string.h>

#include "node/files/node_folder.h"
#include "node/files/text_edit.h"
#include "node/journal/folder.h"

#define RECORD_NAME "journal.json"
#define ROOM_NAME "room"

/* "12.before", "12.after" */
#define COPY_NAME_SIZE 32

struct journal {
    struct journal_folder folder;
    struct arena *arena;
    struct record record;
    bool on_disk;       /* the record */
    bool checks_owners; /* of files that are changed */
    bool cleared;
};

/* ---- copies ---- */

static const char *copy_name(unsigned number, bool before, char *name)
{
    snprintf(name, COPY_NAME_SIZE, "%u.%s", number, before ? "before" : "after");
    return name;
}

static bool write_copies(const struct journal *journal, const struct recorded_file *file, struct error *error)
{
    char name[COPY_NAME_SIZE];
    return (!file->file.existed ||
            folder_write(&journal->folder, copy_name(file->number, true, name), file->file.before, error)) &&
           (!file->file.exists || folder_write(&journal->folder, copy_name(file->number, false, name), file->file.after, error));
}

/* The journal no longer needs them; one that remains is removed with the journal. */
static void remove_copies(const struct journal *journal, unsigned number)
{
    char name[COPY_NAME_SIZE];
    folder_remove_file(&journal->folder, copy_name(number, true, name), NULL);
    folder_remove_file(&journal->folder, copy_name(number, false, name), NULL);
}

static bool read_copy(const struct journal *journal, const struct recorded_file *file, bool before, struct bytes *text,
                      struct error *error)
{
    char name[COPY_NAME_SIZE];
    copy_name(file->number, before, name);
    if (!folder_read(&journal->folder, name, journal->arena, text, error)) {
        return false;
    }
    struct digest digest = digest_of(*text);
    if (!text->data || !digest_equal(&digest, before ? &file->before : &file->after)) {
        return error_set(error, STATUS_DATA_LOSS, "%s/%s, which holds %s as it was %s, %s", journal->folder.path, name,
                         file->file.path, before ? "before" : "after", text->data ? "has a wrong checksum" : "is missing");
    }
    return true;
}

/* ---- the record ---- */

static bool save(struct journal *journal, struct error *error)
{
    /* Of its own: a record that is not needed once it is written should not stay in the journal's memory. */
    struct arena *arena = arena_new((size_t)1 << 26);
    struct bytes text;
    bool good =
        arena ? record_encode(&journal->record, arena, &text, error) && folder_write(&journal->folder, RECORD_NAME, text, error)
              : error_out_of_memory(error);
    arena_unref(arena);
    journal->on_disk = journal->on_disk || good;
    return good;
}

static bool load(struct journal *journal, struct error *error)
{
    struct bytes text;
    if (!folder_read(&journal->folder, RECORD_NAME, journal->arena, &text, error)) {
        return false;
    }
    journal->on_disk = text.data;
    if (!text.data) {
        return true;
    }
    if (!record_decode(text, journal->arena, &journal->record, error)) {
        return error_wrap(error, "%s/" RECORD_NAME, journal->folder.path);
    }
    for (size_t i = 0; i < journal->record.file_count; i++) {
        struct recorded_file *file = &journal->record.files[i];
        if ((file->file.existed && !read_copy(journal, file, true, &file->file.before, error)) ||
            (file->file.exists && !read_copy(journal, file, false, &file->file.after, error))) {
            return false;
        }
    }
    return true;
}

struct journal *journal_open_in(const char *folder, bool make, struct arena *arena, struct error *error)
{
    struct journal *journal = arena_zalloc(arena, sizeof *journal);
    if (!journal) {
        error_out_of_memory(error);
        return NULL;
    }
    journal->arena = arena;
    if (!folder_open(&journal->folder, folder, make, error)) {
        return NULL;
    }
    if (!load(journal, error)) {
        folder_close(&journal->folder);
        return NULL;
    }
    return journal;
}

struct journal *journal_open(bool make, struct arena *arena, struct error *error)
{
    struct journal *journal =
        node_file_check_owner(INSTALL_FOLDER, error) ? journal_open_in(INSTALL_FOLDER, make, arena, error) : NULL;
    if (journal) {
        journal->checks_owners = true;
    }
    return journal;
}

void journal_close(struct journal *journal)
{
    if (!journal) {
        return;
    }
    if (!journal->on_disk && (journal->cleared || journal->folder.made)) {
        folder_remove(&journal->folder);
    }
    folder_close(&journal->folder);
}

enum install_phase journal_phase(const struct journal *journal)
{
    return journal->record.phase;
}

bool journal_set_phase(struct journal *journal, enum install_phase phase, struct error *error)
{
    enum install_phase old = journal->record.phase;
    journal->record.phase = phase;
    if (!save(journal, error)) {
        journal->record.phase = old;
        return false;
    }
    return true;
}

bool journal_reserve(struct journal *journal, size_t size, struct error *error)
{
    return folder_reserve(&journal->folder, ROOM_NAME, size, error);
}

void journal_release(struct journal *journal)
{
    folder_remove_file(&journal->folder, ROOM_NAME, NULL);
}

/* ---- facts ---- */

/* The fact of that name, else the first free place. */
static struct recorded_fact *find_fact(struct record *record, const char *name)
{
    size_t i = 0;
    while (i < record->fact_count && strcmp(record->facts[i].name, name) != 0) {
        i++;
    }
    return i < RECORD_MOST_FACTS ? &record->facts[i] : NULL;
}

const char *journal_fact(const struct journal *journal, const char *name)
{
    for (size_t i = 0; i < journal->record.fact_count; i++) {
        if (strcmp(journal->record.facts[i].name, name) == 0) {
            return journal->record.facts[i].value;
        }
    }
    return NULL;
}

bool journal_set_fact(struct journal *journal, const char *name, const char *value, struct error *error)
{
    struct record *record = &journal->record;
    struct recorded_fact *fact = find_fact(record, name);
    struct recorded_fact set = {.name = arena_string(journal->arena, bytes_of_string(name)),
                                .value = arena_string(journal->arena, bytes_of_string(value))};
    if (!fact || !set.name || !set.value) {
        return fact ? error_out_of_memory(error)
                    : error_set(error, STATUS_INTERNAL, "the journal has room for %d facts", RECORD_MOST_FACTS);
    }
    struct recorded_fact old = *fact;
    size_t old_count = record->fact_count;
    record->fact_count += fact == &record->facts[old_count];
    *fact = set;
    if (!save(journal, error)) {
        *fact = old;
        record->fact_count = old_count;
        return false;
    }
    return true;
}

/* ---- files ---- */

size_t journal_file_count(const struct journal *journal)
{
    return journal->record.file_count;
}

const struct journal_file *journal_file_at(const struct journal *journal, size_t index)
{
    return &journal->record.files[index].file;
}

/* Whether crigate gave the file this text. */
static bool is_ours(const struct recorded_file *file, const struct digest *text)
{
    bool ours = digest_equal(text, &file->after);
    for (size_t i = 0; i < file->earlier_count; i++) {
        ours = ours || digest_equal(text, &file->earlier[i]);
    }
    return ours;
}

static struct digest digest_of_file(const struct node_file *file)
{
    return digest_of(file->present ? file->text : bytes_of(NULL, 0));
}

static bool copy_text(struct bytes text, struct arena *arena, struct bytes *copied)
{
    *copied = text.data ? text_replace(text, 0, 0, bytes_of(NULL, 0), arena) : bytes_of(NULL, 0);
    return (copied->data != NULL) == (text.data != NULL);
}

/* What the journal has of a change that is about to be made. */
static bool describe(struct journal *journal, const struct planned_file *planned, struct recorded_file *file, struct error *error)
{
    const struct node_file *before = &planned->before;
    *file = (struct recorded_file){
        .file = {.path = arena_string(journal->arena, bytes_of_string(before->path)),
                 .existed = before->present,
                 .exists = planned->after.data,
                 .status = before->status,
                 .why = arena_string(journal->arena, bytes_of_string(planned->why))},
        .number = journal->record.last_number + 1,
        .folders = before->present ? 0 : node_folders_missing(before->path),
        .before = digest_of_file(before),
        .after = digest_of(planned->after),
    };
    if (!file->file.path || !file->file.why ||
        !copy_text(before->present ? before->text : bytes_of(NULL, 0), journal->arena, &file->file.before) ||
        !copy_text(planned->after, journal->arena, &file->file.after)) {
        return error_out_of_memory(error);
    }
    return node_file_attributes(before, journal->arena, &file->attributes, error);
}

/* crigate changed the file before, and it has not been changed since: its original content stays recorded. */
static bool go_on(const struct recorded_file *old, struct recorded_file *file, struct error *error)
{
    struct recorded_file merged = *old;
    if (old->earlier_count == RECORD_MOST_EARLIER) {
        return error_set(error, STATUS_RESOURCE_EXHAUSTED, "%s was changed too often", old->file.path);
    }
    merged.earlier[merged.earlier_count++] = old->after;
    merged.number = file->number;
    merged.after = file->after;
    merged.file.after = file->file.after;
    merged.file.exists = file->file.exists;
    merged.file.why = file->file.why;
    *file = merged;
    return true;
}

/* Where the record has the path, or has room for it; NULL: it has not. */
static struct recorded_file *find_file(struct record *record, const char *path)
{
    size_t i = 0;
    while (i < record->file_count && strcmp(record->files[i].file.path, path) != 0) {
        i++;
    }
    return i < RECORD_MOST_FILES ? &record->files[i] : NULL;
}

/* Writes the step. When this returns, it is on the disk; if it fails, the record is as before. */
static bool record_step(struct journal *journal, struct recorded_file *at, const struct recorded_file *file, struct error *error)
{
    struct record *record = &journal->record;
    bool new = at == &record->files[record->file_count];
    struct recorded_file old = *at;
    unsigned last_number = record->last_number;
    bool good = write_copies(journal, file, error);
    if (good) {
        *at = *file;
        record->file_count += new;
        record->last_number = file->number;
        good = save(journal, error);
    }
    if (!good) {
        *at = old;
        record->file_count -= new && record->last_number != last_number;
        record->last_number = last_number;
    }
    if (!good || !new) {
        remove_copies(journal, good ? old.number : file->number);
    }
    return good;
}

static bool apply(const struct planned_file *planned, struct error *error)
{
    return planned->after.data ? node_file_replace(&planned->before, planned->after, planned->mode, error)
                               : node_file_remove(&planned->before, error);
}

static bool put_back(const struct node_file *now, bool existed, struct bytes text, const struct stat *status,
                     const struct file_attributes *attributes, struct error *error)
{
    return existed ? node_file_restore(now, text, status, attributes, error) : node_file_remove(now, error);
}

/* A change failed. If the file has its new text nevertheless, because only its folder could not be synced, it gets the old one.
 */
static bool take_back(struct journal *journal, const struct planned_file *planned, const struct file_attributes *attributes,
                      struct error *error)
{
    struct node_file now;
    const struct node_file *before = &planned->before;
    struct digest after = digest_of(planned->after);
    if (!node_file_read(before->path, journal->arena, &now, NULL)) {
        return false;
    }
    struct digest present = digest_of_file(&now);
    struct error reason = {0};
    if (digest_equal(&present, &after) && !put_back(&now, before->present, before->text, &before->status, attributes, &reason)) {
        error_wrap(error, "%s has its new content, and the old content cannot be restored (%s)", before->path, reason.message);
    }
    return false;
}

bool journal_change(struct journal *journal, const struct planned_file *planned, struct error *error)
{
    struct recorded_file file;
    struct recorded_file *at = find_file(&journal->record, planned->before.path);
    struct digest before = digest_of_file(&planned->before);
    if (!at) {
        return error_set(error, STATUS_INTERNAL, "the journal has room for %d files", RECORD_MOST_FILES);
    }
    if ((journal->checks_owners && !node_file_check_owner(planned->before.path, error)) ||
        !describe(journal, planned, &file, error)) {
        return false;
    }
    if (digest_equal(&before, &file.after)) {
        return true;
    }
    struct file_attributes attributes = file.attributes;
    bool known = at < &journal->record.files[journal->record.file_count];
    if (known && is_ours(at, &before) && !go_on(at, &file, error)) {
        return false;
    }
    return record_step(journal, at, &file, error) && (apply(planned, error) || take_back(journal, planned, &attributes, error));
}

enum journal_undo journal_undo(struct journal *journal, size_t index, struct error *error)
{
    const struct recorded_file *file = &journal->record.files[index];
    struct node_file now;
    if (!node_file_remove_draft(file->file.path, error) || !node_file_read(file->file.path, journal->arena, &now, error)) {
        return JOURNAL_FAILED;
    }
    struct digest present = digest_of_file(&now);
    if (!digest_equal(&present, &file->before)) {
        if (!is_ours(file, &present)) {
            return JOURNAL_EDITED;
        }
        if (!put_back(&now, file->file.existed, file->file.before, &file->file.status, &file->attributes, error)) {
            return JOURNAL_FAILED;
        }
    }
    return file->file.existed || node_folders_remove(file->file.path, file->folders, error) ? JOURNAL_UNDONE : JOURNAL_FAILED;
}

/* ---- the end ---- */

bool journal_clear(struct journal *journal, struct error *error)
{
    /* First the record without its files, so that no crash leaves one that misses copies. If the disk is full, it goes at once:
       what is left of copies then is removed with the next journal. */
    size_t count = journal->record.file_count;
    journal->record.file_count = 0;
    if (journal->on_disk && !save(journal, NULL) &&
        !(folder_remove_file(&journal->folder, RECORD_NAME, error) && folder_sync(&journal->folder, error))) {
        journal->record.file_count = count;
        return false;
    }
    if (!folder_remove_others(&journal->folder, RECORD_NAME, error) ||
        !folder_remove_file(&journal->folder, RECORD_NAME, error) || !folder_sync(&journal->folder, error)) {
        return false;
    }
    journal->record = (struct record){0};
    journal->on_disk = false;
    journal->cleared = true;
    return true;
}
