#include "base/log/journald.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/json/build.h"
#include "base/system/descriptor.h"

bool journald_is_stream(const char *stream, int fd)
{
    uintmax_t device, inode;
    int read = 0;
    struct stat status;
    return stream && isdigit((unsigned char)*stream) && sscanf(stream, "%ju:%ju%n", &device, &inode, &read) == 2 &&
           stream[read] == '\0' && fstat(fd, &status) == 0 && status.st_dev == device && status.st_ino == inode;
}

/* ---- an entry as bytes ---- */

/* "NAME=value\n"; what holds a newline as "NAME\n", its size in 64 bits, least significant first, the bytes and "\n". */
static void put_bytes(const char *name, struct bytes value, FILE *out)
{
    fputs(name, out);
    if (memchr(value.data, '\n', value.len)) {
        fputc('\n', out);
        for (unsigned shift = 0; shift < 64; shift += 8) {
            fputc((int)(((uint64_t)value.len >> shift) & 0xff), out);
        }
    } else {
        fputc('=', out);
    }
    fwrite(value.data, 1, value.len, out);
    fputc('\n', out);
}

static void put_safe(const char *name, struct bytes value, FILE *out)
{
    char *safe = NULL;
    size_t size = 0;
    FILE *text = open_memstream(&safe, &size);
    if (text) {
        log_put_safe(value, text);
        fclose(text);
        put_bytes(name, bytes_of(safe, size), out);
    }
    free(safe);
}

/* Names of fields have capital letters, digits and underscores. */
static void field_name(const char *key, char *name, size_t size)
{
    size_t used = (size_t)snprintf(name, size, "CRIGATE_");
    for (; *key && used + 1 < size; key++) {
        name[used++] = isalnum((unsigned char)*key) ? (char)toupper((unsigned char)*key) : '_';
    }
    name[used] = '\0';
}

static void put_field(const char *key, struct json_object *value, FILE *out)
{
    char name[64];
    field_name(key, name, sizeof name);
    const char *text = json_object_get_string(value);
    const char *slash = strcmp(key, "method") == 0 && text ? strrchr(text, '/') : NULL;
    put_safe(name, bytes_of_string(slash ? slash + 1 : text ? text : ""), out);
}

static void put_fields(struct json_object *fields, FILE *out)
{
    json_object_object_foreach(fields, key, value)
    {
        if (strcmp(key, "runtimes") == 0 && json_object_is_type(value, json_type_array)) {
            for (size_t i = 0; i < json_count(value); i++) {
                put_field("runtime", json_object_array_get_idx(value, i), out);
            }
        } else if (!json_object_is_type(value, json_type_array) && !json_object_is_type(value, json_type_object)) {
            put_field(key, value, out);
        }
    }
}

/* Lines about one runtime or plugin begin with its name: "runtime NAME: ". */
static void put_subject(const char *message, const char *word, const char *field, FILE *out)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";
    size_t begin = strlen(word);
    size_t len = strncmp(message, word, begin) == 0 ? strspn(message + begin, letters) : 0;
    if (len > 0 && strncmp(message + begin + len, ": ", 2) == 0) {
        put_bytes(field, bytes_of(message + begin, len), out);
    }
}

/* Which the caller frees; NULL without memory. */
static char *compose(const struct log_entry *entry, size_t *size)
{
    char *bytes = NULL;
    FILE *out = open_memstream(&bytes, size);
    if (out) {
        put_bytes("MESSAGE", entry->text, out);
        fprintf(out, "PRIORITY=%d\nSYSLOG_IDENTIFIER=crigate\nCRIGATE_LEVEL=%d\n", (int)entry->priority, entry->level);
        put_subject(entry->message, "runtime ", "CRIGATE_RUNTIME", out);
        put_subject(entry->message, "plugin ", "CRIGATE_PLUGIN", out);
        if (entry->fields) {
            put_fields(entry->fields, out);
        }
        fclose(out);
    }
    return bytes;
}

/* ---- sending ---- */

/* A file in memory that nobody can change any more: what journald takes instead of a datagram that is too long. -1: none. */
static int sealed(const char *bytes, size_t size)
{
    int fd = memfd_create("crigate-log", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd >= 0 && (write(fd, bytes, size) != (ssize_t)size ||
                    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) != 0)) {
        descriptor_close(&fd);
    }
    return fd;
}

static bool send_descriptor(int socket, int fd, const struct sockaddr_un *address)
{
    _Alignas(struct cmsghdr) char room[CMSG_SPACE(sizeof fd)] = {0};
    struct sockaddr_un copy = *address;
    struct msghdr message = {.msg_name = &copy, .msg_namelen = sizeof copy, .msg_control = room, .msg_controllen = sizeof room};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(header), &fd, sizeof fd);
    return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
}

/* Without waiting: who logs may be the worker. */
static bool send_bytes(int socket, const char *path, const char *bytes, size_t size)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    if (sendto(socket, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT, (const struct sockaddr *)(const void *)&address,
               sizeof address) >= 0) {
        return true;
    }
    if (errno != EMSGSIZE && errno != ENOBUFS) {
        return false;
    }
    DESCRIPTOR_CLEANUP int fd = sealed(bytes, size);
    return fd >= 0 && send_descriptor(socket, fd, &address);
}

static bool send_entry(int socket, const char *path, const struct log_entry *entry)
{
    size_t size = 0;
    char *bytes = compose(entry, &size);
    bool sent = bytes && send_bytes(socket, path, bytes, size);
    free(bytes);
    return sent;
}

bool journald_send(const char *path, const struct log_entry *entry)
{
    DESCRIPTOR_CLEANUP int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    return fd >= 0 && send_entry(fd, path, entry);
}

static int journal = -1; /* a socket, open as long as the process lives */

static bool on_entry(const struct log_entry *entry)
{
    return send_entry(journal, JOURNALD_SOCKET, entry);
}

void journald_begin(void)
{
    if (journald_is_stream(getenv("JOURNAL_STREAM"), STDERR_FILENO)) {
        journal = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        log_send_to(journal >= 0 ? on_entry : NULL);
    }
}
