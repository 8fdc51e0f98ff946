/* Namespaces of pods and containers. */
#include "translate/model/model.h"

#include "translate/model/usual.h"

#define NAMESPACE_OPTIONS "linux.security_context.namespace_options"

/* Fills in absent namespace options with the older dialect's meaning: an own process namespace, the pod's network and IPC. */
bool normalise_namespaces_said(struct model *model, struct error *error)
{
    if (model_namespace_options(model)) {
        return true;
    }
    Model__NamespaceOption *options = model_alloc(model, sizeof *options, error);
    if (!options || !model_require_security(model, error)) {
        return false;
    }
    model__namespace_option__init(options);
    options->network = MODEL__NAMESPACE_MODE__POD;
    options->pid = MODEL__NAMESPACE_MODE__CONTAINER;
    options->ipc = MODEL__NAMESPACE_MODE__POD;
    if (model->pod) {
        model->pod->linux->security_context->namespace_options = options;
    } else {
        model->container->linux->security_context->namespace_options = options;
    }
    model->changed = true;
    return true;
}

static const char *mode_name(Model__NamespaceMode mode)
{
    static const char *const names[] = {"POD", "CONTAINER", "NODE", "TARGET"};
    return (size_t)mode < sizeof names / sizeof names[0] ? names[mode] : "a mode of a later version";
}

/* A boolean of the older dialect means NODE if it is true, or else a fixed mode. */
static bool refuse_unless_boolean(const struct model *model, enum translation_rule_id rule, const char *field,
                                  Model__NamespaceMode mode, Model__NamespaceMode granted, struct error *error)
{
    if (mode == MODEL__NAMESPACE_MODE__NODE || mode == granted) {
        return true;
    }
    return model_refuse(model, error, rule, field, "has only NODE and %s, and %s was requested", mode_name(granted),
                        mode_name(mode));
}

/* Namespace modes for a dialect with booleans: refuses modes that true or false cannot express. */
bool normalise_pid_namespace(struct model *model, struct error *error)
{
    const Model__NamespaceOption *options = model_namespace_options(model);
    if (!options) {
        return true;
    }
    return refuse_unless_boolean(model, RULE_NamespaceOption_network, NAMESPACE_OPTIONS ".network", options->network,
                                 MODEL__NAMESPACE_MODE__POD, error) &&
           refuse_unless_boolean(model, RULE_NamespaceOption_pid, NAMESPACE_OPTIONS ".pid", options->pid,
                                 MODEL__NAMESPACE_MODE__CONTAINER, error) &&
           refuse_unless_boolean(model, RULE_NamespaceOption_ipc, NAMESPACE_OPTIONS ".ipc", options->ipc,
                                 MODEL__NAMESPACE_MODE__POD, error);
}

static bool refuse_target(const struct model *model, const char *field, Model__NamespaceMode mode, struct error *error)
{
    switch (mode) {
    case MODEL__NAMESPACE_MODE__POD:
    case MODEL__NAMESPACE_MODE__CONTAINER:
    case MODEL__NAMESPACE_MODE__NODE:
        return true;
    default:
        return model_refuse(model, error, RULE_NamespaceMode_TARGET, field,
                            "has only POD, CONTAINER and NODE, and %s was requested", mode_name(mode));
    }
}

/* Namespace modes for a dialect without TARGET. */
bool normalise_target_pid_namespace(struct model *model, struct error *error)
{
    const Model__NamespaceOption *options = model_namespace_options(model);
    if (!options) {
        return true;
    }
    return refuse_target(model, NAMESPACE_OPTIONS ".network", options->network, error) &&
           refuse_target(model, NAMESPACE_OPTIONS ".pid", options->pid, error) &&
           refuse_target(model, NAMESPACE_OPTIONS ".ipc", options->ipc, error);
}

/* User namespaces for a dialect without them: the node's is left out, others are refused. */
bool normalise_user_namespace(struct model *model, struct error *error)
{
    Model__NamespaceOption *options = model_namespace_options(model);
    if (!options || !options->userns_options) {
        return true;
    }
    if (!usual_user_namespace((int32_t)options->userns_options->mode) &&
        !model_refuse(model, error, RULE_NamespaceOption_userns_options, NAMESPACE_OPTIONS ".userns_options.mode",
                      "has no user namespaces, and %s was requested", mode_name(options->userns_options->mode))) {
        return false;
    }
    options->userns_options = NULL;
    model->changed = true;
    return true;
}
