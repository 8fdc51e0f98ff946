#include "core/map/check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/map/listen.h"
#include "core/map/names.h"
#include "core/map/socket.h"

/* The kubelet puts this in front of an image name without a registry. */
#define DEFAULT_REGISTRY "docker.io/"

/* Something that only one may have. */
struct claim {
    const char *text;
    const char *key; /* as in the files, for messages */
    struct place place;
};

static int claim_compare(const void *a, const void *b)
{
    const struct claim *left = a;
    const struct claim *right = b;
    int order = strcmp(left->text, right->text);
    return order ? order : place_compare(left->place, right->place);
}

/* Adds a mistake for every claim that repeats an earlier one. */
static void check_claims(struct runtime_map_problems *problems, struct claim *claims, size_t count)
{
    qsort(claims, count, sizeof *claims, claim_compare);
    const struct claim *first = claims;
    for (size_t i = 1; i < count; i++) {
        const struct claim *claim = &claims[i];
        if (strcmp(claim->text, first->text) != 0) {
            first = claim;
        } else {
            problems_add(problems, claim->place, "%s: \"%s\" is already taken in %s; each needs its own", claim->key, claim->text,
                         place_text(problems, claim->place, first->place).text);
        }
    }
}

/* What only a whole runtime can be: its image service has the same socket then. */
static bool check_image_endpoint(struct parsed_map *parsed, const struct parsed_runtime *runtime)
{
    const char *endpoint = runtime->entry.endpoint;
    const char *image_endpoint = runtime->entry.image_endpoint;
    if (endpoint && image_endpoint && docker_is_meant(image_endpoint) && !docker_is_meant(endpoint)) {
        problems_add(parsed->problems, runtime->places[RUNTIME_IMAGE_ENDPOINT],
                     "image_endpoint: docker is only for a runtime whose endpoint is docker, too; write an address");
        return false;
    }
    const char *images = image_endpoint ? image_endpoint : endpoint;
    if (runtime->entry.image_api_set && images && docker_is_meant(images)) {
        problems_add(parsed->problems, runtime->places[RUNTIME_IMAGE_API],
                     "image_api: what serves images for Docker is probed together with the runtime; remove it");
    }
    return true;
}

/* An address that `docker` may lead to must be nobody else's. */
static void check_docker_claim(struct parsed_map *parsed, const struct claim *claim, struct place docker)
{
    if (!docker_is_meant(claim->text) && docker_candidate_at(claim->text)) {
        problems_add(parsed->problems, claim->place,
                     "%s: \"%s\" is one of the sockets that \"docker\" in %s may lead to; each needs its own", claim->key,
                     claim->text, place_text(parsed->problems, claim->place, docker).text);
    }
}

static void check_docker(struct parsed_map *parsed, const struct claim *claims, size_t count)
{
    const struct claim *docker = NULL;
    for (size_t i = 0; i < count; i++) {
        if (docker_is_meant(claims[i].text)) {
            docker = &claims[i];
        } else if (docker_is_engine(claims[i].text)) {
            problems_warn(parsed->problems, claims[i].place,
                          "%s: \"%s\" is Docker Engine's own socket, which does not speak CRI; write docker, and crigate finds "
                          "the program that speaks CRI for Docker",
                          claims[i].key, claims[i].text);
        }
    }
    for (size_t i = 0; docker && i < count; i++) {
        check_docker_claim(parsed, &claims[i], docker->place);
    }
}

/* A runtime may use one socket for both of its services. */
static void check_sockets(struct parsed_map *parsed, struct claim *claims)
{
    size_t count = 0;
    if (parsed->metrics.address.ss_family == AF_UNIX) {
        claims[count++] = (struct claim){parsed->metrics.text, "metrics.listen", parsed->metrics_places[METRICS_LISTEN]};
    }
    for (size_t i = 0; i < parsed->socket_count; i++) {
        const struct parsed_socket *socket = &parsed->sockets[i];
        if (socket->entry.address) {
            claims[count++] = (struct claim){socket->entry.address, "listen", socket->places[LISTEN_ADDRESS]};
        }
    }
    for (size_t i = 0; i < parsed->runtime_count; i++) {
        const struct parsed_runtime *runtime = &parsed->runtimes[i];
        const char *endpoint = runtime->entry.endpoint;
        const char *image_endpoint = runtime->entry.image_endpoint;
        if (endpoint) {
            claims[count++] = (struct claim){endpoint, "endpoint", runtime->places[RUNTIME_ENDPOINT]};
        }
        if (check_image_endpoint(parsed, runtime) && image_endpoint && !(endpoint && strcmp(endpoint, image_endpoint) == 0)) {
            claims[count++] = (struct claim){image_endpoint, "image_endpoint", runtime->places[RUNTIME_IMAGE_ENDPOINT]};
        }
    }
    check_docker(parsed, claims, count);
    check_claims(parsed->problems, claims, count);
}

static void check_handlers(struct parsed_map *parsed, struct claim *claims)
{
    size_t count = 0;
    for (size_t i = 0; i < parsed->runtime_count; i++) {
        const struct parsed_runtime *runtime = &parsed->runtimes[i];
        for (size_t j = 0; j < runtime->handlers.count; j++) {
            claims[count++] = (struct claim){runtime->handlers.items[j].name, "handlers", runtime->handlers.places[j]};
        }
    }
    check_claims(parsed->problems, claims, count);
}

/* Everything that only one runtime may claim. */
static void check_all_claims(struct parsed_map *parsed)
{
    size_t most = 1 + parsed->socket_count + 2 * parsed->runtime_count;
    size_t handlers = 0;
    for (size_t i = 0; i < parsed->runtime_count; i++) {
        handlers += parsed->runtimes[i].handlers.count;
    }
    most = handlers > most ? handlers : most;
    struct claim *claims = malloc(most * sizeof *claims);
    if (!claims) {
        problems_add(parsed->problems, (struct place){0}, "out of memory");
        return;
    }
    check_sockets(parsed, claims);
    check_handlers(parsed, claims);
    free(claims);
}

/* Whether a runtime claims the role. */
typedef bool claims_role(const struct parsed_runtime *runtime);

static bool claims_primary(const struct parsed_runtime *runtime)
{
    return runtime->entry.primary;
}

static bool claims_default(const struct parsed_runtime *runtime)
{
    return runtime->is_default;
}

/* The runtime that claims a role; NULL when none does. Of several the first counts, and the others are mistakes. */
static struct parsed_runtime *find_only(struct parsed_map *parsed, claims_role *claims, enum runtime_key key, const char *mistake)
{
    struct parsed_runtime *only = NULL;
    for (size_t i = 0; i < parsed->runtime_count; i++) {
        struct parsed_runtime *runtime = &parsed->runtimes[i];
        if (claims(runtime) && (!only || place_compare(runtime->places[key], only->places[key]) < 0)) {
            only = runtime;
        }
    }
    for (size_t i = 0; i < parsed->runtime_count; i++) {
        const struct parsed_runtime *runtime = &parsed->runtimes[i];
        if (claims(runtime) && runtime != only) {
            struct place place = runtime->places[key];
            problems_add(parsed->problems, place, mistake, place_text(parsed->problems, place, only->places[key]).text);
        }
    }
    return only;
}

static struct parsed_runtime *check_primary(struct parsed_map *parsed)
{
    struct parsed_runtime *primary =
        find_only(parsed, claims_primary, RUNTIME_PRIMARY,
                  "primary: a second one, after the one in %s; exactly one runtime speaks for the node");
    if (!primary && parsed->runtime_count + parsed->removed_count > 0) {
        problems_add(parsed->problems, parsed->places[ROOT_RUNTIMES],
                     "runtimes: none is the primary; put \"primary: true\" on the one that speaks for the node");
    }
    return primary;
}

/* The primary is the default unless another runtime is, or its entry denies it. */
static void check_default(struct parsed_map *parsed, struct parsed_runtime *primary)
{
    struct parsed_runtime *only =
        find_only(parsed, claims_default, RUNTIME_DEFAULT,
                  "default: a second one, after the one in %s; at most one runtime gets the pods that nothing else claims");
    if (!only && primary && primary->places[RUNTIME_DEFAULT].line > 0) {
        problems_add(parsed->problems, primary->places[RUNTIME_DEFAULT],
                     "default: no runtime gets the pods that nothing else claims; put \"default: true\" on one, or remove this");
        return;
    }
    only = only ? only : primary;
    if (!only) {
        return;
    }
    only->is_default = true;
    if (!only->entry.new_pods) {
        problems_add(parsed->problems, only->places[RUNTIME_NEW_PODS],
                     "new_pods: this runtime gets the pods that nothing else claims; put \"default: true\" on another one first");
    }
}

/* The defaults that depend on whether a runtime is the primary. */
static void complete_roles(struct parsed_map *parsed)
{
    for (size_t i = 0; i < parsed->runtime_count; i++) {
        struct parsed_runtime *runtime = &parsed->runtimes[i];
        struct runtime_entry *entry = &runtime->entry;
        if (runtime->places[RUNTIME_IDS].line == 0) {
            entry->plain_ids = entry->primary;
        }
        if (runtime->places[RUNTIME_WHEN_AWAY].line == 0) {
            entry->when_away = entry->primary ? WHEN_AWAY_FAIL : WHEN_AWAY_LAST_KNOWN;
        }
        if (entry->primary && entry->when_away == WHEN_AWAY_OMIT) {
            problems_add(parsed->problems, runtime->places[RUNTIME_WHEN_AWAY],
                         "when_away: the primary's pods would disappear from lists of the node; write fail or last-known");
        }
    }
}

/* Adds a mistake for other keys of an entry with force. */
static bool check_force(struct parsed_map *parsed, const struct parsed_runtime *runtime)
{
    for (size_t key = 0; key < RUNTIME_KEYS; key++) {
        struct place place = runtime->places[RUNTIME_FORCE];
        if (key != RUNTIME_NAME && key != RUNTIME_FORCE && runtime->places[key].line > 0) {
            problems_add(parsed->problems, place,
                         "force: the entry removes the runtime, but %s sets more of it; keep only the name, or remove force",
                         place_text(parsed->problems, place, runtime->places[key]).text);
            return false;
        }
    }
    return runtime->entry.name != NULL;
}

/* Moves entries with force out of the list of runtimes. */
static void take_removed_out(struct parsed_map *parsed)
{
    size_t kept = 0;
    parsed->removed = arena_alloc(parsed->map->memory, parsed->runtime_count * sizeof *parsed->removed);
    if (!parsed->removed) {
        problems_add(parsed->problems, (struct place){0}, "out of memory");
        return;
    }
    for (size_t i = 0; i < parsed->runtime_count; i++) {
        const struct parsed_runtime *runtime = &parsed->runtimes[i];
        if (runtime->force && check_force(parsed, runtime)) {
            parsed->removed[parsed->removed_count++] = runtime->entry.name;
        } else {
            parsed->runtimes[kept++] = *runtime;
        }
    }
    parsed->runtime_count = kept;
}

/* The prefix without the registry that the kubelet adds: so two prefixes can be compared. */
static const char *short_prefix(const char *prefix)
{
    size_t len = strlen(DEFAULT_REGISTRY);
    return strncmp(prefix, DEFAULT_REGISTRY, len) == 0 ? prefix + len : prefix;
}

/* Whether every image under `inner` is under `outer` as well. */
static bool prefix_covers(const char *outer, const char *inner)
{
    outer = short_prefix(outer);
    inner = short_prefix(inner);
    size_t len = strlen(outer);
    return strncmp(outer, inner, len) == 0 && (inner[len] == '\0' || inner[len] == '/');
}

static struct place prefix_place(const struct parsed_runtime *runtime)
{
    return runtime->places[runtime->places[RUNTIME_IMAGE_PREFIX].line > 0 ? RUNTIME_IMAGE_PREFIX : RUNTIME_NAME];
}

static void check_prefix_pair(struct parsed_map *parsed, const struct parsed_runtime *a, const struct parsed_runtime *b)
{
    const char *first = a->entry.image_prefix;
    const char *second = b->entry.image_prefix;
    if (!first || !second || (!prefix_covers(first, second) && !prefix_covers(second, first))) {
        return;
    }
    if (place_compare(prefix_place(a), prefix_place(b)) > 0) {
        const struct parsed_runtime *swap = a;
        a = b;
        b = swap;
    }
    problems_add(
        parsed->problems, prefix_place(b),
        "image_prefix: images under \"%s\" cannot be distinguished from those under \"%s\" in %s; choose prefixes of which "
        "none starts with the other",
        b->entry.image_prefix, a->entry.image_prefix, place_text(parsed->problems, prefix_place(b), prefix_place(a)).text);
}

/* Without image_prefix, a runtime's name is its prefix. With plain ids everything, images too, must look as without a gateway. */
static void default_prefix(struct parsed_map *parsed, struct parsed_runtime *runtime)
{
    struct error error = {0};
    const char *name = runtime->entry.name;
    if (runtime->entry.primary || runtime->entry.plain_ids || !name || runtime->places[RUNTIME_IMAGE_PREFIX].line > 0) {
        return;
    }
    if (!value_image_prefix(&(struct yaml_scalar){.text = name, .value = &runtime->entry.image_prefix, .error = &error})) {
        problems_add(parsed->problems, runtime->places[RUNTIME_NAME],
                     "name: it is also the prefix of image names, and %s; choose another name, or set image_prefix",
                     error.message);
    }
}

static void warn_of_prefix(struct parsed_map *parsed, const struct parsed_runtime *runtime)
{
    const char *prefix = runtime->entry.image_prefix;
    if (!prefix) {
        return;
    }
    if (runtime->entry.primary) {
        problems_warn(parsed->problems, prefix_place(runtime),
                      "image_prefix: the primary owns all images without a prefix anyway; it needs none of its own");
    }
    if (!image_prefix_names_registry(prefix)) {
        bool by_name = runtime->places[RUNTIME_IMAGE_PREFIX].line == 0;
        problems_warn(parsed->problems, prefix_place(runtime),
                      "%s: the kubelet turns %s/NAME into docker.io/%s/NAME; both work, but a first part with a dot, such as "
                      "%.*s.local, is never changed",
                      by_name ? "name: it is also the first part of image names (image_prefix)" : "image_prefix", prefix, prefix,
                      (int)strcspn(prefix, "/"), prefix);
    }
}

static void check_prefixes(struct parsed_map *parsed)
{
    for (size_t i = 0; i < parsed->runtime_count; i++) {
        default_prefix(parsed, &parsed->runtimes[i]);
        warn_of_prefix(parsed, &parsed->runtimes[i]);
        for (size_t j = 0; j < i; j++) {
            check_prefix_pair(parsed, &parsed->runtimes[j], &parsed->runtimes[i]);
        }
    }
}

static void check_metrics(struct parsed_map *parsed)
{
    const struct place *places = parsed->metrics_places;
    if (parsed->places[ROOT_METRICS].line > 0 && places[METRICS_LISTEN].line == 0) {
        problems_add(parsed->problems, parsed->places[ROOT_METRICS],
                     "metrics: \"listen\" is missing; write an address such as 127.0.0.1:9464");
    }
    if (parsed->metrics.beyond_node) {
        problems_warn(parsed->problems, places[METRICS_LISTEN],
                      "metrics.listen: anyone who reaches %s can read the metrics without a login and without TLS; "
                      "127.0.0.1 or a Unix socket are safer",
                      parsed->metrics.text);
    }
    for (unsigned key = METRICS_MODE; key < METRICS_KEYS; key++) {
        if (places[key].line > 0 && parsed->metrics.text && parsed->metrics.address.ss_family != AF_UNIX) {
            problems_add(parsed->problems, places[key], "metrics: mode and group are for a Unix socket, not for %s",
                         parsed->metrics.text);
        }
    }
    if (parsed->metrics.address.ss_family == AF_UNIX && (parsed->metrics_mode & S_IWOTH)) {
        problems_warn(parsed->problems, places[METRICS_MODE], "metrics.mode: every user of this node may read the metrics");
    }
}

/* Each side of a connection may be in the middle of a message. */
static void check_memory(struct parsed_map *parsed)
{
    size_t memory = parsed->map->limits.memory;
    size_t needed = 2 * parsed->map->limits.message_size;
    if (memory < needed) {
        problems_add(
            parsed->problems, parsed->places[ROOT_LIMITS],
            "limits: a memory of %zu bytes is too small for two messages of message_size; write at least %zu, or a smaller "
            "message_size",
            memory, needed);
    }
}

void runtime_map_check(struct parsed_map *parsed)
{
    take_removed_out(parsed);
    for (size_t i = 0; i < parsed->runtime_count; i++) {
        struct runtime_entry *entry = &parsed->runtimes[i].entry;
        if (!entry->image_endpoint && parsed->runtimes[i].places[RUNTIME_IMAGE_ENDPOINT].line == 0) {
            entry->image_endpoint = entry->endpoint;
        }
    }
    check_all_claims(parsed);
    check_default(parsed, check_primary(parsed));
    complete_roles(parsed);
    check_prefixes(parsed);
    listen_check(parsed);
    check_metrics(parsed);
    check_memory(parsed);
}
