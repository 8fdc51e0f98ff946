/* Which values ask for something: the functions that translate/runtimes.yaml names. Each gets one value of its field. */
#include "generated/functions.h"
#include "translate/abilities/table.h"
#include "translate/bytes/wire.h"
#include "translate/model/usual.h"

/* The number at that field of a message, 0 if it is absent. */
static int64_t number_of(const struct schema_message *message, struct bytes in, const char *field)
{
    struct wire_field found;
    bool there = wire_last_field(in, schema_number_by_name(message, field), WIRE_VARINT, &found);
    return there ? (int64_t)found.value : 0;
}

static struct bytes text_of(const struct schema_message *message, struct bytes in, const char *field)
{
    return wire_last_payload(in, schema_number_by_name(message, field));
}

/* NamespaceOption.userns_options: kubelets send mode NODE for pods without a user namespace. */
bool asks_user_namespace(const struct ability_value *value)
{
    return !usual_user_namespace((int32_t)number_of(value->field->message, value->value->payload, "mode"));
}

/* LinuxContainerResources.hugepage_limits: kubelets send a limit of 0 for every page size of the node. */
bool asks_huge_pages(const struct ability_value *value)
{
    return number_of(value->field->message, value->value->payload, "limit") != 0;
}

/* LinuxContainerResources.unified, an entry of it. */
bool asks_cgroup_setting(const struct ability_value *value)
{
    const struct schema_message *entry = value->field->message;
    struct bytes payload = value->value->payload;
    return !usual_setting_of(text_of(entry, payload, "key"), text_of(entry, payload, "value"));
}

/* LinuxContainerResources.memory_swap_limit_in_bytes. */
bool asks_swap(const struct ability_value *value)
{
    return !usual_swap_limit((int64_t)value->value->value, number_of(value->message, value->in, "memory_limit_in_bytes"));
}

/* PortMapping.protocol: kubelets also send ports of containers that no port of the node leads to. */
bool asks_sctp_host_port(const struct ability_value *value)
{
    return usual_is_sctp((int32_t)value->value->value) && (int32_t)number_of(value->message, value->in, "host_port") > 0;
}

/* LinuxSandboxSecurityContext.seccomp and .apparmor: kubelets send the runtime's default for every pod. */
bool asks_localhost_profile(const struct ability_value *value)
{
    return !usual_sandbox_profile((int32_t)number_of(value->field->message, value->value->payload, "profile_type"));
}
