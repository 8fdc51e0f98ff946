#include "cli/explain/peer.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/json/build.h"
#include "base/system/nearest.h"
#include "translate/explain/explain.h"

/* As the last number of a version: greater than that of any fix in a line of releases. */
#define LAST_FIX "999999999"

/* A name of a release in parts: "containerd" and "1.6.20". */
struct parts {
    char program[PEER_TEXT_SIZE];
    const char *version; /* NULL: the name has none */
};

/* The version begins behind the last hyphen that a digit, or a v and a digit, follows. */
static bool split(const char *name, struct parts *parts)
{
    size_t length = strlen(name);
    parts->version = NULL;
    for (const char *hyphen = strchr(name, '-'); hyphen && !parts->version; hyphen = strchr(hyphen + 1, '-')) {
        const char *number = hyphen + 1 + (hyphen[1] == 'v');
        if (isdigit((unsigned char)*number)) {
            parts->version = number;
            length = (size_t)(hyphen - name);
        }
    }
    if (length >= sizeof parts->program) {
        return false;
    }
    memcpy(parts->program, name, length);
    parts->program[length] = '\0';
    return true;
}

/* The runtime of that name in the table of abilities; NULL if it has none. */
static const struct ability_runtime *known_runtime(const char *program)
{
    for (size_t i = 0; i < ability_runtime_count; i++) {
        if (strcmp(ability_runtimes[i].name, program) == 0) {
            return &ability_runtimes[i];
        }
    }
    return NULL;
}

/* ---- what is wrong with a name ---- */

static bool refuse_side(enum release_side side, const struct release *release, const char *name, struct error *error)
{
    bool caller = side == RELEASE_CALLER;
    return error_set(error, STATUS_INVALID_ARGUMENT, "%.64s: %s is a %s: name a %s, or a dialect", name, release->program,
                     caller ? "runtime" : "caller", caller ? "kubelet, such as kubelet-1.36" : "runtime, such as containerd-1.7");
}

/* The runtime that says it is of that name, such as "docker"; NULL if none does. */
static const char *runtime_reporting(const char *typed)
{
    for (size_t i = 0; i < ability_runtime_count; i++) {
        for (const char *const *reported = ability_runtimes[i].reports; *reported; reported++) {
            if (strcmp(*reported, typed) == 0) {
                return ability_runtimes[i].name;
            }
        }
    }
    return NULL;
}

/* The program that was most likely meant; NULL if none is near. */
static const char *meant_program(enum release_side side, const char *typed)
{
    const char *runtime = side == RELEASE_RUNTIME ? runtime_reporting(typed) : NULL;
    if (runtime) {
        return runtime;
    }
    struct nearest nearest = nearest_begin(typed);
    for (size_t i = 0; i < release_count; i++) {
        if (releases[i].side == side) {
            nearest_add(&nearest, releases[i].program);
        }
    }
    return nearest.name;
}

static bool refuse_unknown(enum release_side side, const char *name, const struct parts *parts, struct error *error)
{
    struct nearest dialect = nearest_begin(name);
    for (size_t i = 0; i < DIALECT_COUNT; i++) {
        nearest_add(&dialect, dialects[i].name);
        nearest_add(&dialect, dialects[i].package);
    }
    const char *program = meant_program(side, parts->program);
    bool versioned = program && parts->version;
    if (program || (dialect.name && strlen(name) > 2)) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "%.64s: no such dialect or release; did you mean %s%s%.32s?", name,
                         program ? program : dialect.name, versioned ? "-" : "", versioned ? parts->version : "");
    }
    char names[128] = "";
    for (size_t i = 0; i < DIALECT_COUNT; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i == 0 ? "" : ", ", dialects[i].name);
    }
    return error_set(error, STATUS_INVALID_ARGUMENT,
                     "%.64s: no such dialect or release; use %s, a package such as runtime.v1, or %s", name, names,
                     side == RELEASE_CALLER ? "kubelet-1.36" : "a release such as containerd-1.7 or cri-o-1.24");
}

static bool refuse_version(const char *name, const struct release *first, struct error *error)
{
    return error_set(error, STATUS_INVALID_ARGUMENT, "%.64s: write the release with two or three numbers, such as %s-%u.%u", name,
                     first->program, first->first.major, first->first.minor);
}

static bool refuse_old(const char *name, const struct release *first, struct error *error)
{
    return error_set(error, STATUS_INVALID_ARGUMENT, "%.64s: the first release that crigate knows is %s-%u.%u", name,
                     first->program, first->first.major, first->first.minor);
}

/* ---- releases ---- */

/* How long the numbers at the beginning of the text are, and how many of them there are. */
static size_t measure_numbers(const char *text, size_t *count)
{
    size_t length = 0;
    for (*count = 0; isdigit((unsigned char)text[length]); ++*count) {
        length += strspn(text + length, "0123456789");
        if (text[length] == '.' && isdigit((unsigned char)text[length + 1])) {
            length++;
        }
    }
    return length;
}

/* The text of the version with three numbers, all that follows left out. */
static bool complete_version(const char *text, struct version *version, char complete[PEER_TEXT_SIZE])
{
    size_t count;
    size_t length = measure_numbers(text, &count);
    if (count < 2 || count > 3 || text[length] == '.' || length + sizeof "." LAST_FIX > PEER_TEXT_SIZE) {
        return false;
    }
    snprintf(complete, PEER_TEXT_SIZE, "%.*s%s", (int)length, text, count == 3 ? "" : "." LAST_FIX);
    return version_read(complete, version);
}

static void describe(struct peer *peer, const char *name, const struct parts *parts)
{
    snprintf(peer->release, sizeof peer->release, "%.64s", name);
    snprintf(peer->text, sizeof peer->text, "%.32s%s%.32s (%s)", parts->program, parts->version ? " " : "",
             parts->version ? parts->version : "", dialects[peer->dialect].name);
}

static void learn_abilities(struct peer *peer, const struct parts *parts, const char *version)
{
    const struct ability_runtime *runtime = known_runtime(parts->program);
    if (runtime) {
        ability_set_make(&peer->abilities, runtime->reports[0], version, peer->dialect);
        snprintf(peer->abilities.name, sizeof peer->abilities.name, "%.32s%s%.32s", parts->program, parts->version ? " " : "",
                 parts->version ? parts->version : "");
    }
}

/* A release without a version: only of a runtime that does not report its own. Its newest dialect counts. */
static bool read_unversioned(const char *name, const struct parts *parts, struct peer *peer, struct error *error)
{
    const struct ability_runtime *runtime = known_runtime(parts->program);
    const struct release *first = release_first(parts->program);
    if (!runtime || runtime->versioned) {
        return refuse_version(name, first, error);
    }
    static const struct version newest = {UINT32_MAX, 0, 0};
    peer->dialect = release_of(parts->program, &newest)->dialect;
    describe(peer, name, parts);
    learn_abilities(peer, parts, "");
    return true;
}

static bool read_release(const char *name, const struct parts *parts, struct peer *peer, struct error *error)
{
    struct version version;
    char complete[PEER_TEXT_SIZE];
    const struct release *first = release_first(parts->program);
    if (!parts->version) {
        return read_unversioned(name, parts, peer, error);
    }
    if (!complete_version(parts->version, &version, complete)) {
        return refuse_version(name, first, error);
    }
    const struct release *release = release_of(parts->program, &version);
    if (!release) {
        return refuse_old(name, first, error);
    }
    peer->dialect = release->dialect;
    describe(peer, name, parts);
    if (release->side == RELEASE_RUNTIME) {
        learn_abilities(peer, parts, complete);
    }
    return true;
}

bool peer_read(enum release_side side, const char *name, struct peer *peer, struct error *error)
{
    struct parts parts;
    *peer = (struct peer){0};
    if (explain_dialect(name, &peer->dialect)) {
        snprintf(peer->text, sizeof peer->text, "a %s %s", dialects[peer->dialect].name,
                 side == RELEASE_CALLER ? "caller" : "runtime");
        return true;
    }
    if (!split(name, &parts)) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "%.64s...: no such dialect or release", name);
    }
    const struct release *first = release_first(parts.program);
    if (!first) {
        return refuse_unknown(side, name, &parts, error);
    }
    return first->side == side ? read_release(name, &parts, peer, error) : refuse_side(side, first, name, error);
}

void peers_add(const struct peer *caller, const struct peer *runtime, struct json_object *json)
{
    json_add(json, "caller", json_object_new_string(dialects[caller->dialect].name));
    json_add(json, "runtime", json_object_new_string(dialects[runtime->dialect].name));
    if (caller->release[0]) {
        json_add(json, "callerRelease", json_object_new_string(caller->release));
    }
    if (runtime->release[0]) {
        json_add(json, "runtimeRelease", json_object_new_string(runtime->release));
    }
}
