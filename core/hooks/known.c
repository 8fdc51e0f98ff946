#include "core/hooks/known.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log/log.h"

/* More than a process can note while it ends. */
#define MOST_PENDING ((size_t)1 << 20)

struct known *known_find(const struct known_list *list, const struct runtime *runtime)
{
    struct known *known;
    LIST_FOREACH(known, list, link)
    {
        if (known->slot == runtime->slot) {
            return known;
        }
    }
    return NULL;
}

static void log_failure(struct known *known, const struct error *error)
{
    if (!known->failure_logged) {
        log_line(LOG_SERIOUS, "runtime %s: its pod data for plugins will not survive a restart: %s", known->name, error->message);
        known->failure_logged = true;
    }
}

struct state_file known_place(const struct runtime_map *map, const struct runtime *runtime)
{
    return (struct state_file){.folder = map->state, .name = runtime->entry->name, .endpoint = runtime_endpoint(runtime)};
}

/* ---- adding ---- */

struct addition {
    struct known *known;
    const struct fact_store *from;
    bool first_hand; /* what another process has just learned: newer than what is here, and better than what a runtime reports */
};

static void add_pod(void *state, struct bytes id)
{
    const struct addition *addition = state;
    struct known_pod pod;
    struct known_pod here;
    if (!fact_store_pod(addition->from, id, &pod)) {
        return;
    }
    bool is_here = fact_store_pod(addition->known->store, id, &here);
    if (!is_here || addition->first_hand) {
        pod.stopped = pod.stopped || (is_here && here.stopped);
        fact_store_put_pod(addition->known->store, id, &pod);
    } else if (pod.stopped) {
        fact_store_stop(addition->known->store, ID_POD, id);
    }
}

static void add_container(void *state, struct bytes id)
{
    const struct addition *addition = state;
    struct fact_store *store = addition->known->store;
    struct known_container container;
    struct known_container here;
    if (!fact_store_container(addition->from, id, &container)) {
        return;
    }
    bool is_here = fact_store_container(store, id, &here);
    if (!is_here || (addition->first_hand && !container.stopped)) { /* it may have been updated here while it was stopped there */
        if (is_here && !container.has_environment) {
            container.environment = here.environment;
            container.has_environment = here.has_environment;
        }
        container.stopped = container.stopped || (is_here && here.stopped);
        fact_store_put_container(store, id, &container);
    } else if (container.stopped) {
        fact_store_stop(store, ID_CONTAINER, id);
    }
}

static void add_all(struct known *known, const struct fact_store *from, bool first_hand)
{
    struct addition addition = {known, from, first_hand};
    fact_store_each(from, ID_POD, add_pod, &addition);
    fact_store_each(from, ID_CONTAINER, add_container, &addition);
}

void known_add(struct known *known, const struct fact_store *from)
{
    add_all(known, from, true);
    known->changed = true;
    known_rewrite(known);
}

/* ---- opening ---- */

/* What is known already stays: the process that wrote the file has passed on the same, or is one that this process outlived. */
static void open_file(struct known *known, const struct runtime_map *map, const struct runtime *runtime)
{
    const struct state_file place = known_place(map, runtime);
    struct fact_store *saved = fact_store_new();
    struct error error = {0};
    known->file = saved ? fact_file_open(&place, saved, &error) : NULL;
    if (!known->file) {
        log_failure(known, &error);
    } else if (error.code != STATUS_OK && error.code != STATUS_NOT_FOUND) {
        log_line(LOG_SERIOUS, "runtime %s: reading its pod data for plugins again: %s", known->name, error.message);
    }
    if (known->file) {
        add_all(known, saved, false);
    }
    fact_store_free(saved);
}

/* Where `docker` leads may not be known yet, and so neither whose file that would be. */
static bool has_place(const struct runtime *runtime)
{
    return !runtime->connection.to_docker || runtime->connection.docker;
}

struct known *known_open(struct known_list *list, const struct runtime_map *map, const struct runtime *runtime,
                         enum fact_files files)
{
    struct known *known = known_find(list, runtime);
    if (!known) {
        known = calloc(1, sizeof *known);
        struct fact_store *store = fact_store_new();
        if (!known || !store) {
            fact_store_free(store);
            free(known);
            return NULL;
        }
        *known = (struct known){.slot = runtime->slot, .store = store};
        snprintf(known->name, sizeof known->name, "%s", runtime->entry->name);
        LIST_INSERT_HEAD(list, known, link);
    }
    known->files = files;
    bool is_here = files == FILES_OURS || files == FILES_LEFT;
    if (!known->file && !known->failure_logged && is_here && has_place(runtime)) {
        open_file(known, map, runtime);
        known_save(known);
    }
    return known;
}

void known_remove_file(const struct runtime_map *map, const struct runtime *runtime)
{
    const struct state_file place = known_place(map, runtime);
    fact_file_remove(&place, NULL); /* most often there is none */
}

/* Whether the file must not be made or replaced now. */
static bool waits(const struct known *known)
{
    return !known->file || known->files == FILES_OTHERS || (known->files == FILES_LENT && !fact_file_is_open(known->file));
}

/* Another process may have made or replaced it: this one appends behind what is there. */
static void find_file(struct known *known)
{
    if (known->files != FILES_LEFT && fact_file_is_open(known->file)) {
        return;
    }
    struct fact_store *saved = fact_store_new();
    if (saved) {
        fact_file_reopen(known->file, saved, NULL);
        add_all(known, saved, false);
        fact_store_free(saved);
    }
}

static void note_written(struct known *known, bool written, const struct error *error)
{
    if (written) {
        known->failure_logged = false;
    } else {
        known->unwritten = true;
        log_failure(known, error);
    }
}

/* The id behind its kind and its length. */
struct pending {
    size_t kind;
    size_t len;
};

/* Another process writes the file, or may replace it; what it then lacks is written when that one is lost. */
static void add_pending(struct known *known, enum id_kind kind, struct bytes id)
{
    const struct pending pending = {(size_t)kind, id.len};
    struct error error;
    known->unwritten = true;
    if (!buffer_reserve(&known->pending, sizeof pending + id.len, MOST_PENDING)) {
        error_out_of_memory(&error);
        log_failure(known, &error);
        return;
    }
    buffer_append(&known->pending, bytes_of(&pending, sizeof pending), MOST_PENDING);
    buffer_append(&known->pending, id, MOST_PENDING);
}

static void append_note(struct known *known, enum id_kind kind, struct bytes id)
{
    struct error error = {0};
    note_written(known, fact_file_note(known->file, known->store, kind, id, &error), &error);
}

static void note(struct known *known, enum id_kind kind, struct bytes id)
{
    known->changed = true;
    if (known->files == FILES_LENT || known->files == FILES_OTHERS) {
        add_pending(known, kind, id);
    }
    if (waits(known)) {
        known->unwritten = true;
    } else {
        find_file(known);
        append_note(known, kind, id);
    }
    if (known->files == FILES_LEFT && known->unwritten) {
        add_pending(known, kind, id);
    }
}

void known_pod(struct known *known, struct bytes id, const struct known_pod *pod)
{
    fact_store_put_pod(known->store, id, pod);
    note(known, ID_POD, id);
}

void known_container(struct known *known, struct bytes id, const struct known_container *container)
{
    fact_store_put_container(known->store, id, container);
    note(known, ID_CONTAINER, id);
}

bool known_stop(struct known *known, enum id_kind kind, struct bytes id)
{
    if (!fact_store_stop(known->store, kind, id)) {
        return false;
    }
    note(known, kind, id);
    return true;
}

void known_remove(struct known *known, enum id_kind kind, struct bytes id)
{
    fact_store_remove(known->store, kind, id);
    note(known, kind, id);
}

void known_shorten(struct known *known)
{
    if (known->file && known->files == FILES_OURS) {
        fact_file_shorten(known->file, known->store);
    }
}

static void write_all(struct known *known)
{
    struct error error = {0};
    note_written(known, fact_file_write(known->file, known->store, &error), &error);
}

void known_rewrite(struct known *known)
{
    if (!known->file || known->files != FILES_OURS) {
        known->unwritten = known->unwritten || known->files != FILES_LEFT;
        return;
    }
    known->unwritten = false;
    write_all(known);
}

void known_forget_pending(struct known *known)
{
    buffer_clear(&known->pending);
}

/* Behind what another process has there; all, if there is nothing. */
static void append_rest(struct known *known)
{
    if (!fact_file_is_open(known->file)) {
        write_all(known);
        return;
    }
    struct bytes rest = buffer_bytes(&known->pending);
    while (rest.len > 0) {
        struct pending pending;
        memcpy(&pending, rest.data, sizeof pending);
        append_note(known, (enum id_kind)pending.kind, bytes_of(rest.data + sizeof pending, pending.len));
        rest = bytes_after(rest, sizeof pending + pending.len);
    }
}

void known_save(struct known *known)
{
    if (!known->unwritten || !known->file) {
        return;
    }
    if (known->files == FILES_OURS) {
        known_rewrite(known);
    } else if (known->files == FILES_LEFT && known->pending.len > 0) {
        find_file(known);
        known->unwritten = false;
        append_rest(known);
    }
    if (!known->unwritten) {
        known_forget_pending(known);
    }
}

void known_set_files(struct known *known, enum fact_files files)
{
    known->files = files;
    if (files == FILES_OTHERS) {
        fact_file_close(known->file);
        known->file = NULL;
        known->failure_logged = false;
    }
    known_save(known);
}

void known_close(struct known *known)
{
    LIST_REMOVE(known, link);
    fact_file_close(known->file);
    buffer_clear(&known->pending);
    fact_store_free(known->store);
    free(known);
}
