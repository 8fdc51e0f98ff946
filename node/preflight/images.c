#include "node/preflight/images.h"

#include <stdio.h>
#include <string.h>

#include "base/json/build.h"
#include "base/json/read.h"
#include "core/map/names.h"

/* Kubernetes' default registry, which Docker leaves out of names. */
#define DEFAULT_REGISTRY "docker.io/"
#define DEFAULT_LIBRARY "library/"

/* Longer names are not names of images. */
#define NAME_SIZE 1024

static const char *text_of(struct json_object *value)
{
    return json_object_is_type(value, json_type_string) ? json_object_get_string(value) : "";
}

static const char *text_at(struct json_object *array, size_t index)
{
    return text_of(json_object_array_get_idx(array, index));
}

/* ---- names ---- */

/* The whole name of "busybox:1" or "grafana/grafana:9": with the registry that is meant. */
static void complete_name(const char *name, char whole[NAME_SIZE])
{
    const char *slash = strchr(name, '/');
    bool registry = slash && image_prefix_names_registry(name);
    snprintf(whole, NAME_SIZE, "%s%s%s", registry ? "" : DEFAULT_REGISTRY, slash ? "" : DEFAULT_LIBRARY, name);
}

static bool is_same_name(const char *one, const char *other)
{
    char left[NAME_SIZE], right[NAME_SIZE];
    complete_name(one, left);
    complete_name(other, right);
    return strcmp(left, right) == 0;
}

/* "sha256:…" of "NAME@sha256:…". */
static const char *digest_of(const char *reference)
{
    const char *at = strrchr(reference, '@');
    return at ? at + 1 : "";
}

static bool share(struct json_object *one, struct json_object *other, const char *list,
                  bool (*same)(const char *left, const char *right))
{
    struct json_object *left = json_member(one, list), *right = json_member(other, list);
    for (size_t i = 0; i < json_count(left); i++) {
        for (size_t j = 0; j < json_count(right); j++) {
            if (same(text_at(left, i), text_at(right, j))) {
                return true;
            }
        }
    }
    return false;
}

static bool is_same_digest(const char *one, const char *other)
{
    return digest_of(one)[0] && strcmp(digest_of(one), digest_of(other)) == 0;
}

/* ---- images ---- */

static const char *id_of(struct json_object *image)
{
    return text_of(json_member(image, "id"));
}

static bool is_same_image(struct json_object *one, struct json_object *other)
{
    return (id_of(one)[0] && strcmp(id_of(one), id_of(other)) == 0) || share(one, other, "repoDigests", is_same_digest);
}

static const char *name_of(struct json_object *image)
{
    struct json_object *tags = json_member(image, "repoTags"), *digests = json_member(image, "repoDigests");
    return json_count(tags) > 0 ? text_at(tags, 0) : json_count(digests) > 0 ? text_at(digests, 0) : id_of(image);
}

/* 64-bit numbers are texts in JSON's form of protobuf. */
static int64_t size_of(struct json_object *image)
{
    int64_t size = json_object_get_int64(json_member(image, "size"));
    return size > 0 ? size : 0;
}

static bool names(struct json_object *image, const char *reference)
{
    static const char *const lists[] = {"repoTags", "repoDigests"};
    const char *scheme = strstr(reference, "://"); /* "docker-pullable://" */
    const char *plain = scheme ? scheme + 3 : reference;
    bool found = strcmp(id_of(image), plain) == 0;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        struct json_object *list = json_member(image, lists[i]);
        for (size_t j = 0; j < json_count(list); j++) {
            found = found || is_same_name(text_at(list, j), plain);
        }
    }
    return plain[0] && found;
}

static int64_t users_of(struct json_object *image, struct json_object *containers)
{
    int64_t users = 0;
    for (size_t i = 0; i < json_count(containers); i++) {
        struct json_object *container = json_object_array_get_idx(containers, i);
        users += names(image, text_of(json_member(container, "imageRef"))) ||
                 names(image, text_of(json_member(json_member(container, "image"), "image")));
    }
    return users;
}

static struct json_object *describe(struct json_object *image, bool other, struct json_object *containers)
{
    struct json_object *json = json_object_new_object();
    json_add(json, "name", json_object_new_string(name_of(image)));
    json_add(json, "id", json_object_new_string(id_of(image)));
    json_add(json, "size", json_object_new_int64(size_of(image)));
    json_add(json, "pulled", json_object_new_boolean(json_count(json_member(image, "repoDigests")) > 0));
    json_add(json, "other", json_object_new_boolean(other));
    json_add(json, "usedBy", json_object_new_int64(users_of(image, containers)));
    return json;
}

struct json_object *images_only_here(struct json_object *here, struct json_object *there, struct json_object *containers)
{
    struct json_object *only = json_object_new_array();
    for (size_t i = 0; only && i < json_count(here); i++) {
        struct json_object *image = json_object_array_get_idx(here, i);
        bool same = false, other = false;
        for (size_t j = 0; j < json_count(there) && !same; j++) {
            struct json_object *candidate = json_object_array_get_idx(there, j);
            same = is_same_image(image, candidate);
            other = other || share(image, candidate, "repoTags", is_same_name);
        }
        if (!same) {
            json_append(only, describe(image, other, containers));
        }
    }
    return only;
}

int64_t images_size(struct json_object *images)
{
    int64_t sum = 0;
    for (size_t i = 0; i < json_count(images); i++) {
        int64_t size = size_of(json_object_array_get_idx(images, i));
        sum = sum > INT64_MAX - size ? INT64_MAX : sum + size;
    }
    return sum;
}
