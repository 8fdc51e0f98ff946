#include "core/map/names.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include "base/system/unix_socket.h"
#include "core/map/socket.h"

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define LOWER_CASE "abcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"

#define LONGEST_NAME 63
#define LONGEST_IMAGE_PREFIX 128
#define LONGEST_HANDLER 128
#define LONGEST_URL 1024
#define LONGEST_SOCKET_PATH (sizeof((struct sockaddr_un *)NULL)->sun_path - 1)

/* The bounds of Kubernetes for the two halves of the key of an annotation or label, and for a label's value. */
#define LONGEST_KEY_DOMAIN 253
#define LONGEST_KEY_NAME 63
#define LONGEST_LABEL_VALUE 63

/* Leaves 27 characters for the name of a socket in the folder. */
#define LONGEST_FOLDER 80
#define LONGEST_PLUGIN_FOLDER 1024

/* Of the folder of drop-ins, in place of the file's own. */
#define DROP_IN_SUFFIX ".d"

static bool keep_text(const struct yaml_scalar *in, const char *text)
{
    *(const char **)in->value = text;
    return true;
}

static bool is_alphanumeric(char letter)
{
    return letter != '\0' && strchr(LETTERS DIGITS, letter) != NULL;
}

/* Whether the text is not empty, begins and ends with a letter or digit, and has in between only these and `inner`. */
static bool is_word(const char *text, size_t len, const char *inner)
{
    if (len == 0 || !is_alphanumeric(text[0]) || !is_alphanumeric(text[len - 1])) {
        return false;
    }
    for (size_t i = 0; i < len; i++) {
        if (!is_alphanumeric(text[i]) && !strchr(inner, text[i])) {
            return false;
        }
    }
    return true;
}

bool value_runtime_name(const struct yaml_scalar *in)
{
    if (strlen(in->text) > LONGEST_NAME) {
        return yaml_wrong(in, "\"%.80s\" is too long to be the prefix of an id; at most %d characters", in->text, LONGEST_NAME);
    }
    if (strstr(in->text, "__")) {
        return yaml_wrong(in, "\"%s\" cannot be the prefix of an id: \"__\" separates name and id; use one \"_\" or a \"-\"",
                          in->text);
    }
    if (!is_word(in->text, strlen(in->text), "-._")) {
        return yaml_wrong(
            in, "\"%s\" cannot be the prefix of an id; use letters and digits, and in between also \"-\", \".\" and \"_\"",
            in->text);
    }
    return keep_text(in, in->text);
}

/* The characters that gRPC and the kubelet take as part of the path in a unix:// URL. */
static bool check_path_characters(const struct yaml_scalar *in, const char *path)
{
    size_t good = strspn(path, LETTERS DIGITS "-._~!$&'()*+,;=:@/");
    if (path[good] != '\0') {
        return yaml_wrong(in, "the path has the character '%c', which an address cannot have; choose another path", path[good]);
    }
    return true;
}

/* Writes the path without empty and "." parts to `out`, which has room for the path. false for ".." parts. */
static bool tidy_path(const char *path, char *out)
{
    size_t used = 0;
    while (*path != '\0') {
        path += strspn(path, "/");
        size_t len = strcspn(path, "/");
        if (len == 2 && path[0] == '.' && path[1] == '.') {
            return false;
        }
        if (len > 0 && !(len == 1 && path[0] == '.')) {
            out[used++] = '/';
            memcpy(out + used, path, len);
            used += len;
        }
        path += len;
    }
    out[used] = '\0';
    return true;
}

/* The path in an address. NULL with an error when there is none, or it is not absolute. */
static const char *socket_path(const struct yaml_scalar *in)
{
    const char *path = unix_socket_path(in->text);
    bool has_scheme = path != in->text;
    if (*path == '/') {
        return path;
    }
    if (!has_scheme && strncmp(in->text, "unix:", strlen("unix:")) == 0) {
        const char *rest = in->text + strlen("unix:");
        yaml_wrong(in, "\"%.120s\" is not an address; write unix:///%.120s", in->text, rest + strspn(rest, "/"));
    } else if (!has_scheme && strstr(in->text, "://")) {
        yaml_wrong(in, "\"%.120s\" is not a Unix socket; write unix:///absolute/path.sock", in->text);
    } else if (*path == '\0') {
        yaml_wrong(in, "it is empty; write unix:///absolute/path.sock");
    } else {
        yaml_wrong(in, "\"%.120s\" is a relative path; write an absolute one, such as unix:///%.120s", in->text, path);
    }
    return NULL;
}

bool value_socket(const struct yaml_scalar *in)
{
    const char *path = socket_path(in);
    if (!path || !check_path_characters(in, path)) {
        return false;
    }
    if (path[strlen(path) - 1] == '/') {
        return yaml_wrong(in, "\"%.120s\" is a folder; write the path of the socket in it", in->text);
    }
    char *address = arena_alloc(in->memory, sizeof SOCKET_SCHEME + strlen(path));
    if (!address) {
        return yaml_wrong(in, "out of memory");
    }
    memcpy(address, SOCKET_SCHEME, sizeof SOCKET_SCHEME);
    char *tidy = address + strlen(SOCKET_SCHEME);
    if (!tidy_path(path, tidy)) {
        return yaml_wrong(in, "\"%.120s\" has \"..\" in it; write the path without it", in->text);
    }
    if (*tidy == '\0') {
        return yaml_wrong(in, "\"%.120s\" is a folder; write the path of the socket in it", in->text);
    }
    if (strlen(tidy) > LONGEST_SOCKET_PATH) {
        return yaml_wrong(in, "the path has %zu characters, but a socket's path can have at most %zu; choose a shorter one",
                          strlen(tidy), LONGEST_SOCKET_PATH);
    }
    return keep_text(in, address);
}

bool value_endpoint(const struct yaml_scalar *in)
{
    return docker_is_meant(in->text) ? keep_text(in, DOCKER_ENDPOINT) : value_socket(in);
}

/* `kind` is "folder" or "file". */
static bool read_path(const struct yaml_scalar *in, const char *kind, size_t longest, const char *example)
{
    if (*in->text != '/') {
        return yaml_wrong(in, "\"%.120s\" is not the absolute path of a %s; write one, such as %s", in->text, kind, example);
    }
    char *folder = arena_alloc(in->memory, strlen(in->text) + 1);
    if (!folder) {
        return yaml_wrong(in, "out of memory");
    }
    if (!tidy_path(in->text, folder)) {
        return yaml_wrong(in, "\"%.120s\" has \"..\" in it; write the path without it", in->text);
    }
    if (*folder == '\0') {
        return yaml_wrong(in, "\"%.120s\" is the root folder; write one of its own, such as %s", in->text, example);
    }
    if (strlen(folder) > longest) {
        return yaml_wrong(in, "the path has %zu characters; at most %zu", strlen(folder), longest);
    }
    return keep_text(in, folder);
}

bool value_folder(const struct yaml_scalar *in)
{
    return read_path(in, "folder", LONGEST_FOLDER, "/run/crigate");
}

bool value_storage(const struct yaml_scalar *in)
{
    return read_path(in, "folder", LONGEST_FOLDER, "/var/lib/containers");
}

bool value_plugin_folder(const struct yaml_scalar *in)
{
    return read_path(in, "folder", LONGEST_PLUGIN_FOLDER, RUNTIME_MAP_DEFAULT_PLUGINS);
}

bool value_file(const struct yaml_scalar *in)
{
    return read_path(in, "file", LONGEST_PLUGIN_FOLDER, "/var/log/crigate/audit.log");
}

/* A registry's host, with or without a port. */
static bool check_image_host(const char *part, size_t len)
{
    const char *colon = memchr(part, ':', len);
    size_t host_len = colon ? (size_t)(colon - part) : len;
    size_t digits = colon ? strspn(colon + 1, DIGITS) : 0;
    if (colon && (digits == 0 || digits > 5 || digits != len - host_len - 1)) {
        return false;
    }
    size_t label = 0;
    while (label <= host_len) {
        const char *dot = memchr(part + label, '.', host_len - label);
        size_t label_len = dot ? (size_t)(dot - part) - label : host_len - label;
        if (!is_word(part + label, label_len, "-")) {
            return false;
        }
        label += label_len + 1;
    }
    return true;
}

/* Other parts: runs of small letters and digits, separated by one dot, one or two underscores, or dashes. */
static bool check_image_part(const char *part, size_t len)
{
    size_t at = 0;
    for (;;) {
        size_t run = strspn(part + at, LOWER_CASE DIGITS);
        run = run < len - at ? run : len - at;
        if (run == 0) {
            return false;
        }
        at += run;
        if (at == len) {
            return true;
        }
        size_t dashes = strspn(part + at, "-");
        size_t underscores = strspn(part + at, "_");
        size_t parting = dashes > 0 ? dashes : underscores > 0 && underscores <= 2 ? underscores : part[at] == '.' ? 1 : 0;
        if (parting == 0 || parting >= len - at) {
            return false;
        }
        at += parting;
    }
}

bool image_prefix_names_registry(const char *prefix)
{
    size_t len = strcspn(prefix, "/");
    return memchr(prefix, '.', len) || memchr(prefix, ':', len) ||
           (len == strlen("localhost") && memcmp(prefix, "localhost", len) == 0);
}

bool value_image_prefix(const struct yaml_scalar *in)
{
    size_t len = strlen(in->text);
    if (len == 0) {
        return yaml_wrong(in, "it is empty; remove the key for the default, the runtime's name");
    }
    if (len > LONGEST_IMAGE_PREFIX) {
        return yaml_wrong(in, "it has %zu characters; at most %d", len, LONGEST_IMAGE_PREFIX);
    }
    if (in->text[0] == '/' || in->text[len - 1] == '/') {
        return yaml_wrong(in, "\"%s\" begins or ends with a slash; remove it", in->text);
    }
    if (strcmp(in->text, "docker.io") == 0) {
        return yaml_wrong(in, "the kubelet puts \"docker.io\" in front of all names without a registry; choose another prefix");
    }
    for (const char *part = in->text; part;) {
        size_t part_len = strcspn(part, "/");
        bool host = part == in->text && image_prefix_names_registry(in->text);
        if (host && !check_image_host(part, part_len)) {
            return yaml_wrong(in,
                              "\"%.*s\" cannot be the host that an image name starts with; use letters, digits, \"-\" and \".\"",
                              (int)part_len, part);
        }
        if (!host && !check_image_part(part, part_len)) {
            return yaml_wrong(
                in,
                "\"%.*s\" cannot be a part of an image name; use lowercase letters and digits, and in between \".\", \"_\" "
                "or \"-\"",
                (int)part_len, part);
        }
        part = part[part_len] == '/' ? part + part_len + 1 : NULL;
    }
    return keep_text(in, in->text);
}

/* "host", "host:port" or "[address]:port". */
static bool check_url_host(const char *host, size_t len)
{
    size_t name;
    if (host[0] == '[') {
        size_t inside = strspn(host + 1, DIGITS "abcdefABCDEF:.");
        if (inside < 2 || host[1 + inside] != ']') {
            return false;
        }
        name = inside + 2;
    } else {
        name = strspn(host, LETTERS DIGITS "-._");
    }
    if (name == 0 || name > len) {
        return false;
    }
    if (name == len) {
        return true;
    }
    const char *port = host + name + 1;
    if (host[name] != ':' || strspn(port, DIGITS) != len - name - 1) {
        return false;
    }
    unsigned long number = strtoul(port, NULL, 10);
    return number >= 1 && number <= UINT16_MAX;
}

bool value_stream_url(const struct yaml_scalar *in)
{
    static const char *const schemes[] = {"http://", "https://"};
    const char *host = NULL;
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        if (strncmp(in->text, schemes[i], strlen(schemes[i])) == 0) {
            host = in->text + strlen(schemes[i]);
        }
    }
    if (!host) {
        return yaml_wrong(in, "\"%.120s\" is not the URL of a streaming server; write http://HOST:PORT or https://HOST:PORT",
                          in->text);
    }
    if (strlen(in->text) > LONGEST_URL) {
        return yaml_wrong(in, "it has %zu characters; at most %d", strlen(in->text), LONGEST_URL);
    }
    if (!check_url_host(host, strcspn(host, "/"))) {
        return yaml_wrong(in, "\"%.120s\" has no valid host; write http://HOST:PORT", in->text);
    }
    if (strpbrk(host, " ?#\"<>\\^`{|}")) {
        return yaml_wrong(in, "\"%.120s\" has more than a host and a path; write only http://HOST:PORT/PATH", in->text);
    }
    size_t len = strlen(in->text);
    while (in->text[len - 1] == '/') {
        len--;
    }
    char *url = arena_string(in->memory, bytes_of(in->text, len));
    return url ? keep_text(in, url) : yaml_wrong(in, "out of memory");
}

/* `owner` has the key: "an annotation". */
static bool read_key(const struct yaml_scalar *in, const char *owner)
{
    const char *slash = strchr(in->text, '/');
    const char *name = slash ? slash + 1 : in->text;
    size_t domain_len = slash ? (size_t)(slash - in->text) : 0;
    if (slash && (domain_len > LONGEST_KEY_DOMAIN || !is_word(in->text, domain_len, "-."))) {
        return yaml_wrong(in, "\"%.120s\" cannot be the key of %s: the part before \"/\" must be a domain, as in example.com/key",
                          in->text, owner);
    }
    if (strlen(name) > LONGEST_KEY_NAME || !is_word(name, strlen(name), "-._")) {
        return yaml_wrong(in,
                          "\"%.120s\" cannot be the key of %s; write domain/name, the name of at most %d letters, digits, "
                          "\"-\", \".\" and \"_\"",
                          in->text, owner, LONGEST_KEY_NAME);
    }
    return keep_text(in, in->text);
}

bool value_annotation_key(const struct yaml_scalar *in)
{
    return read_key(in, "an annotation");
}

bool value_label_key(const struct yaml_scalar *in)
{
    return read_key(in, "a label");
}

bool value_label_value(const struct yaml_scalar *in)
{
    size_t len = strlen(in->text);
    if (len > LONGEST_LABEL_VALUE || (len > 0 && !is_word(in->text, len, "-._"))) {
        return yaml_wrong(in,
                          "\"%.120s\" cannot be the value of a label; write at most %d letters and digits, and in between also "
                          "\"-\", \".\" and \"_\"",
                          in->text, LONGEST_LABEL_VALUE);
    }
    return keep_text(in, in->text);
}

bool value_local_handler(const struct yaml_scalar *in)
{
    if (strlen(in->text) > LONGEST_HANDLER) {
        return yaml_wrong(in, "the handler has %zu characters; at most %d", strlen(in->text), LONGEST_HANDLER);
    }
    if (strchr(in->text, ' ')) {
        return yaml_wrong(in, "\"%s\" contains a space, which handler names cannot have", in->text);
    }
    return keep_text(in, in->text);
}

bool value_handler(const struct yaml_scalar *in)
{
    if (*in->text == '\0') {
        return yaml_wrong(in, "a handler without a name cannot be claimed; pods without a handler go to the primary");
    }
    return value_local_handler(in);
}

const char *drop_in_folder(const char *path, struct arena *memory)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    bool has_suffix = dot && dot > name && strcmp(dot, DROP_IN_SUFFIX) != 0;
    size_t len = has_suffix ? (size_t)(dot - path) : strlen(path);
    size_t size = len + sizeof DROP_IN_SUFFIX;
    char *folder = arena_alloc(memory, size);
    if (folder) {
        snprintf(folder, size, "%.*s" DROP_IN_SUFFIX, (int)len, path);
    }
    return folder;
}
