#include "translate/model/model.h"

#include <stdarg.h>
#include <stdio.h>

#include "translate/walk/text_table.h"

bool model_refuse(const struct model *model, struct error *error, enum translation_rule_id rule, const char *field,
                  const char *format, ...)
{
    char path[ERROR_MESSAGE_SIZE];
    char reason[ERROR_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    snprintf(path, sizeof path, "%s.%s", model->path, field);
    return leniency_refuse(model->leniency, model->report, model->to, (uint16_t)rule, path, reason, error);
}

void model_drop(const struct model *model, enum translation_rule_id rule, const char *field)
{
    char path[ERROR_MESSAGE_SIZE];
    snprintf(path, sizeof path, "%s.%s", model->path, field);
    report_drop(model->report, (uint16_t)rule);
    report_tell(model->report, &(struct loss){.rule = (uint16_t)rule, .path = path, .reason = translation_rules[rule].why});
}

void *model_alloc(struct model *model, size_t size, struct error *error)
{
    void *memory = arena_zalloc(model->arena, size);
    if (!memory) {
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "%s: not enough memory for this call", model->path);
    }
    return memory;
}

Model__LinuxContainerSecurityContext *model_container_security(const struct model *model)
{
    return model->container && model->container->linux ? model->container->linux->security_context : NULL;
}

Model__NamespaceOption *model_namespace_options(const struct model *model)
{
    if (model->pod) {
        const Model__LinuxPodSandboxConfig *linux = model->pod->linux;
        return linux && linux->security_context ? linux->security_context->namespace_options : NULL;
    }
    const Model__LinuxContainerSecurityContext *security = model_container_security(model);
    return security ? security->namespace_options : NULL;
}

/* The message; an empty one is created if it is absent. */
static void *present(struct model *model, void *message, const ProtobufCMessageDescriptor *descriptor, struct error *error)
{
    if (!message) {
        message = model_alloc(model, descriptor->sizeof_message, error);
        if (message) {
            protobuf_c_message_init(descriptor, message);
            model->changed = true;
        }
    }
    return message;
}

static bool require_pod_security(struct model *model, struct error *error)
{
    Model__LinuxPodSandboxConfig *linux = present(model, model->pod->linux, &model__linux_pod_sandbox_config__descriptor, error);
    model->pod->linux = linux;
    return linux && (linux->security_context =
                         present(model, linux->security_context, &model__linux_sandbox_security_context__descriptor, error));
}

static bool require_container_security(struct model *model, struct error *error)
{
    Model__LinuxContainerConfig *linux =
        present(model, model->container->linux, &model__linux_container_config__descriptor, error);
    model->container->linux = linux;
    return linux && (linux->security_context =
                         present(model, linux->security_context, &model__linux_container_security_context__descriptor, error));
}

bool model_require_security(struct model *model, struct error *error)
{
    return model->pod ? require_pod_security(model, error) : require_container_security(model, error);
}
