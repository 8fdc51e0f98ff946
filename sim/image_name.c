#include "sim/image_name.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool is_hexadecimal(const char *text, size_t length)
{
    return strlen(text) == length && strspn(text, "0123456789abcdef") == length;
}

static bool is_repository(const char *text)
{
    if (!*text || !isalnum((unsigned char)*text) || strstr(text, "//") || text[strlen(text) - 1] == '/') {
        return false;
    }
    const char *path = strchr(text, '/');
    for (const char *at = text; *at; at++) {
        bool in_registry = path && at < path;
        if (!isalnum((unsigned char)*at) && !strchr(in_registry ? ".-:/" : "._-/", *at)) {
            return false;
        }
        if (!in_registry && isupper((unsigned char)*at)) {
            return false;
        }
    }
    return true;
}

/* Whether the part before the first slash is a registry, and not the first part of a path at docker.io. */
static bool starts_with_registry(const char *text)
{
    const char *slash = strchr(text, '/');
    if (!slash) {
        return false;
    }
    size_t length = (size_t)(slash - text);
    return memchr(text, '.', length) || memchr(text, ':', length) || (length == 9 && memcmp(text, "localhost", 9) == 0);
}

static bool write_repository(const char *text, char *repository)
{
    const char *path = text;
    const char *registry = "";
    if (!starts_with_registry(text)) {
        registry = "docker.io/";
    } else if (strncmp(text, "docker.io/", 10) == 0) {
        path = text + 10;
        registry = "docker.io/";
    }
    const char *library = *registry && !strchr(path, '/') ? "library/" : "";
    int length = snprintf(repository, IMAGE_NAME_SIZE, "%s%s%s", registry, library, path);
    return length < IMAGE_NAME_SIZE && is_repository(repository);
}

bool image_name_parse(const char *text, struct image_name *name)
{
    char copy[IMAGE_NAME_SIZE / 2];
    if (strlen(text) >= sizeof copy || (strlen(text) == 64 && is_hexadecimal(text, 64))) {
        return false;
    }
    strcpy(copy, text);
    char *digest = strchr(copy, '@');
    if (digest) {
        *digest++ = '\0';
        if (strncmp(digest, "sha256:", 7) != 0 || !is_hexadecimal(digest + 7, 64)) {
            return false;
        }
    }
    char *tag = strrchr(copy, ':');
    if (tag && strchr(tag, '/')) {
        tag = NULL; /* a registry's port */
    }
    if (tag) {
        *tag++ = '\0';
        if (!*tag || strspn(tag, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") != strlen(tag)) {
            return false;
        }
    }
    if (!write_repository(copy, name->repository)) {
        return false;
    }
    name->by_digest = digest != NULL;
    int length = digest ? snprintf(name->full, IMAGE_NAME_SIZE, "%s@%s", name->repository, digest)
                        : snprintf(name->full, IMAGE_NAME_SIZE, "%s:%s", name->repository, tag ? tag : "latest");
    return length < IMAGE_NAME_SIZE;
}
