#include "translate/walk/carry.h"

#include "generated/functions.h"
#include "translate/bytes/image_id.h"
#include "translate/bytes/output.h"
#include "translate/bytes/wire.h"
#include "translate/walk/node.h"
#include "translate/walk/report.h"

/* Writes a varint field; leaves out 0, as proto3 does. */
static bool put_number(struct carry *carry, uint32_t field, uint64_t value, struct error *error)
{
    return walk_output_put_number(carry->output, field, value) || error_no_memory(error);
}

/* Writes a string, bytes or message field; leaves out an empty one. */
static bool put_bytes(struct carry *carry, uint32_t field, struct bytes bytes, struct error *error)
{
    return bytes.len == 0 || walk_output_put_field(carry->output, field, bytes) || error_no_memory(error);
}

/* NamespaceMode of the model. */
enum namespace_mode {
    MODE_POD = 0,
    MODE_CONTAINER = 1,
    MODE_NODE = 2,
};

/* The fields of NamespaceOption, under the same numbers in both dialects. */
enum { NAMESPACE_NETWORK = 1, NAMESPACE_PID = 2, NAMESPACE_IPC = 3 };

/* Runtimes of the v1_9 time gave each container its own pid namespace unless it had the host's; network and ipc were the pod's.
 */
bool carry_namespace_option_up(struct carry *carry, struct error *error)
{
    const struct carry_value *network = &carry->values[0];
    const struct carry_value *pid = &carry->values[1];
    const struct carry_value *ipc = &carry->values[2];
    return put_number(carry, NAMESPACE_NETWORK, network->number ? MODE_NODE : MODE_POD, error) &&
           put_number(carry, NAMESPACE_PID, pid->number ? MODE_NODE : MODE_CONTAINER, error) &&
           put_number(carry, NAMESPACE_IPC, ipc->number ? MODE_NODE : MODE_POD, error);
}

/* Decoders read an enum's value as 32 bits. */
static bool is_node(const struct carry_value *mode)
{
    return (int32_t)mode->number == MODE_NODE;
}

/* In requests, normalise_pid_namespace has refused modes that v1_9 cannot express; in a response such a mode only means "not the
   host's". */
bool carry_namespace_option_down(struct carry *carry, struct error *error)
{
    return put_number(carry, NAMESPACE_NETWORK, is_node(&carry->values[0]), error) &&
           put_number(carry, NAMESPACE_PID, is_node(&carry->values[1]), error) &&
           put_number(carry, NAMESPACE_IPC, is_node(&carry->values[2]), error);
}

/* StorageIdentifier.uuid and FilesystemIdentifier.mountpoint are both field 1 of the message in field 2. */
enum { FILESYSTEM_USAGE_IDENTIFIER = 2, IDENTIFIER_TEXT = 1 };

typedef struct bytes node_answer(void *state, struct bytes name, struct arena *arena);

/* Replaces the text of an identifier by the node's answer for it; leaves it out if the node has none. */
static bool put_identifier(struct carry *carry, node_answer *ask, struct error *error)
{
    const struct carry_value *identifier = &carry->values[0];
    struct wire_reader reader = wire_reader_of(identifier->bytes);
    struct bytes text = {0};
    while (reader.at < reader.end) {
        struct wire_field field;
        if (!wire_read_field(&reader, &field)) {
            /* Only responses contain filesystems. */
            return error_set(error, STATUS_INTERNAL, "malformed filesystem identifier");
        }
        if (field.number == IDENTIFIER_TEXT && field.type == WIRE_LENGTH) {
            text = field.payload;
        }
    }
    if (text.len == 0) {
        return true;
    }
    struct bytes answer = ask ? ask(carry->node->state, text, carry->arena) : (struct bytes){0};
    if (answer.len == 0) {
        report_drop(carry->report, RULE_FilesystemUsage_fs_id);
        return true;
    }
    uint8_t *message = arena_alloc(carry->arena, 1 + WIRE_MAX_VARINT + answer.len);
    if (!message) {
        return error_no_memory(error);
    }
    message[0] = IDENTIFIER_TEXT << 3 | WIRE_LENGTH;
    size_t head = 1 + wire_put_varint(message + 1, answer.len);
    memcpy(message + head, answer.data, answer.len);
    return put_bytes(carry, FILESYSTEM_USAGE_IDENTIFIER, bytes_of(message, head + answer.len), error);
}

bool carry_filesystem_up(struct carry *carry, struct error *error)
{
    return put_identifier(carry, carry->node ? carry->node->mountpoint_of_uuid : NULL, error);
}

bool carry_filesystem_down(struct carry *carry, struct error *error)
{
    return put_identifier(carry, carry->node ? carry->node->uuid_of_directory : NULL, error);
}

/* image_ref varied: an image id, a repository digest, "docker-pullable://…". Only a digest alone is an image id. */
static bool put_image(struct carry *carry, uint32_t reference_field, uint32_t id_field, struct error *error)
{
    struct bytes reference = carry->values[0].bytes;
    struct bytes id = image_id_is_digest(reference) ? reference : (struct bytes){0};
    return put_bytes(carry, reference_field, reference, error) && put_bytes(carry, id_field, id, error);
}

enum { CONTAINER_IMAGE_REF = 5, CONTAINER_IMAGE_ID = 10 };

bool carry_container_image_id_up(struct carry *carry, struct error *error)
{
    return put_image(carry, CONTAINER_IMAGE_REF, CONTAINER_IMAGE_ID, error);
}

/* The image garbage collection of old kubelets compares a listed container's image_ref with Image.id. */
bool carry_container_image_id_down(struct carry *carry, struct error *error)
{
    struct bytes id = carry->values[1].bytes;
    return put_bytes(carry, CONTAINER_IMAGE_REF, id.len > 0 ? id : carry->values[0].bytes, error);
}

enum { CONTAINER_STATUS_IMAGE_REF = 9, CONTAINER_STATUS_IMAGE_ID = 17 };

bool carry_container_status_image_id_up(struct carry *carry, struct error *error)
{
    return put_image(carry, CONTAINER_STATUS_IMAGE_REF, CONTAINER_STATUS_IMAGE_ID, error);
}

/* In a status, image_ref is the repository digest also for old kubelets. */
bool carry_container_status_image_id_down(struct carry *carry, struct error *error)
{
    return put_bytes(carry, CONTAINER_STATUS_IMAGE_REF, carry->values[0].bytes, error);
}

/* The part of a package name after the last dot names the API version: "v1" of "runtime.v1". The oldest package has none; its
   runtimes called it v1alpha1. */
static struct bytes api_version_of(enum dialect dialect)
{
    const char *package = dialects[dialect].package;
    const char *dot = strrchr(package, '.');
    return bytes_of_string(dot ? dot + 1 : "v1alpha1");
}

static struct bytes or_else(struct bytes text, struct bytes otherwise)
{
    return text.len > 0 ? text : otherwise;
}

static bool is_digit(uint8_t byte)
{
    return byte >= '0' && byte <= '9';
}

/* The number at the beginning of a version, which is taken off with what follows it. Higher ones count as `enough`. */
static unsigned next_number(struct bytes *version, unsigned enough)
{
    unsigned number = 0;
    size_t i = 0;
    for (; i < version->len && is_digit(version->data[i]); i++) {
        number = number * 10 + (version->data[i] - '0');
        number = number < enough ? number : enough;
    }
    i += i < version->len;
    version->data += i;
    version->len -= i;
    return number;
}

/* Docker's API version in the form in which kubelets before 1.24 compare it, if the runtime is called docker. Those up to 1.12 do
   not start if it cannot be compared, and want 1.24.0 for sysctls; later ones want 1.23.0 for a pod that must not gain
   privileges, and 1.38.0 for one with an unmasked /proc. dockershim reports it; cri-dockerd 0.4 says "v1". It works with Docker
   whose API is 1.26 or later, and the engine 18.06 was the first with 1.38. */
static struct bytes docker_api_version(struct bytes said, struct bytes engine)
{
    enum { YEAR = 18, MONTH = 6 };
    if (said.len > 0 && is_digit(said.data[0])) {
        return said;
    }
    unsigned year = next_number(&engine, YEAR + 1);
    unsigned month = next_number(&engine, MONTH);
    return bytes_of_string(year > YEAR || (year == YEAR && month == MONTH) ? "1.38.0" : "1.26.0");
}

/* Kubelets require version 0.1.0 (the kubelet's own runtime API version, in every release) and refuse a response in which one of
   the four fields is empty. The API version that a caller sees is that of the package it called; of Docker, it is Docker's. */
bool carry_version(struct carry *carry, struct error *error)
{
    enum { VERSION = 1, RUNTIME_NAME = 2, RUNTIME_VERSION = 3, RUNTIME_API_VERSION = 4 };
    bool same_package = strcmp(dialects[carry->from].package, dialects[carry->to].package) == 0;
    struct bytes said = same_package ? carry->values[3].bytes : (struct bytes){0};
    struct bytes unknown = bytes_of_string("unknown");
    struct bytes api_version = or_else(said, api_version_of(carry->to));
    if (bytes_equal(carry->values[1].bytes, bytes_of_string("docker"))) {
        api_version = docker_api_version(carry->values[3].bytes, carry->values[2].bytes);
    }
    return put_bytes(carry, VERSION, bytes_of_string("0.1.0"), error) &&
           put_bytes(carry, RUNTIME_NAME, or_else(carry->values[1].bytes, unknown), error) &&
           put_bytes(carry, RUNTIME_VERSION, or_else(carry->values[2].bytes, unknown), error) &&
           put_bytes(carry, RUNTIME_API_VERSION, api_version, error);
}

/* Where a stream is served. Kubelets up to 1.35 reach a URL without a scheme by HTTP; from 1.36 on, their client takes all but
   "http" for TLS. A path has no host to put a scheme before. */
static bool complete_stream_url(struct carry *carry, struct error *error)
{
    struct bytes *url = &carry->values[0].bytes;
    if (bytes_start_with(*url, bytes_of_string("//"))) {
        *url = arena_join(carry->arena, (struct bytes[]){bytes_of_string("http:"), *url}, 2);
    }
    return url->data || url->len == 0 || error_no_memory(error);
}

bool carry_exec_url(struct carry *carry, struct error *error)
{
    return complete_stream_url(carry, error);
}

bool carry_attach_url(struct carry *carry, struct error *error)
{
    return complete_stream_url(carry, error);
}

bool carry_port_forward_url(struct carry *carry, struct error *error)
{
    return complete_stream_url(carry, error);
}
