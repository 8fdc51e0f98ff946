/* Windows pods and containers. */
#include "translate/model/model.h"

static bool says(const char *text)
{
    return *text != '\0';
}

/* The fields below `windows.security_context` without which the pod would run differently; NULL: none. */
static const char *said_of_pod(const Model__WindowsSandboxSecurityContext *security)
{
    if (security && says(security->run_as_username)) {
        return "windows.security_context.run_as_username";
    }
    if (security && says(security->credential_spec)) {
        return "windows.security_context.credential_spec";
    }
    if (security && security->host_process) {
        return "windows.security_context.host_process";
    }
    if (security && security->namespace_options && security->namespace_options->network != MODEL__NAMESPACE_MODE__POD) {
        return "windows.security_context.namespace_options.network";
    }
    return NULL;
}

/* A dialect without host processes has nothing for Windows pods at all. */
static bool drop_pod(struct model *model, struct error *error)
{
    Model__WindowsPodSandboxConfig *windows = model->pod->windows;
    if (!windows) {
        return true;
    }
    const char *said = said_of_pod(windows->security_context);
    if (!said) {
        model_drop(model, RULE_PodSandboxConfig_windows, "windows");
    } else if (!model_refuse(model, error, RULE_PodSandboxConfig_windows, said, "knows no Windows pods")) {
        return false;
    }
    model->pod->windows = NULL;
    model->changed = true;
    return true;
}

/* A pod's network, for a dialect in which Windows pods always have their own: that is left out, the node's is refused. */
bool normalise_windows_network(struct model *model, struct error *error)
{
    Model__WindowsPodSandboxConfig *windows = model->pod ? model->pod->windows : NULL;
    Model__WindowsSandboxSecurityContext *security = windows ? windows->security_context : NULL;
    if (!security || !security->namespace_options) {
        return true;
    }
    if (security->namespace_options->network != MODEL__NAMESPACE_MODE__POD &&
        !model_refuse(model, error, RULE_WindowsSandboxSecurityContext_namespace_options,
                      "windows.security_context.namespace_options.network",
                      "lacks it, and the pod would get a network of its own")) {
        return false;
    }
    security->namespace_options = NULL;
    model->changed = true;
    return true;
}

static bool has_limits(const Model__WindowsContainerResources *resources)
{
    return resources &&
           (resources->cpu_shares != 0 || resources->cpu_count != 0 || resources->cpu_maximum != 0 ||
            resources->memory_limit_in_bytes != 0 || resources->rootfs_size_in_bytes != 0 || resources->n_affinity_cpus > 0);
}

static bool refuse_host_process(const struct model *model, const Model__WindowsContainerSecurityContext *security,
                                struct error *error)
{
    if (!security) {
        return true;
    }
    return (!says(security->credential_spec) || model_refuse(model, error, RULE_WindowsContainerSecurityContext_credential_spec,
                                                             "windows.security_context.credential_spec",
                                                             "lacks it, and the container would run under another identity")) &&
           (!security->host_process ||
            model_refuse(model, error, RULE_WindowsContainerSecurityContext_host_process, "windows.security_context.host_process",
                         "lacks it, and the container would not run as a host process"));
}

/* Windows fields for a dialect without them: counted, or refused if they decide under which user a process runs or what it may
 * use.
 */
bool normalise_windows(struct model *model, struct error *error)
{
    if (model->pod) {
        return drop_pod(model, error);
    }
    if (!model->container || !model->container->windows) {
        return true;
    }
    const Model__WindowsContainerSecurityContext *security = model->container->windows->security_context;
    bool named = security && says(security->run_as_username);
    if (named && !model_refuse(model, error, RULE_ContainerConfig_windows, "windows.security_context.run_as_username",
                               "knows no Windows containers, and this one would run under another identity")) {
        return false;
    }
    bool limited = has_limits(model->container->windows->resources);
    if (limited && !model_refuse(model, error, RULE_ContainerConfig_windows, "windows.resources",
                                 "knows no Windows containers, and these limits would not be set")) {
        return false;
    }
    if (!refuse_host_process(model, security, error)) {
        return false;
    }
    if (!named && !limited) {
        model_drop(model, RULE_ContainerConfig_windows, "windows");
    }
    model->container->windows = NULL;
    model->changed = true;
    return true;
}

/* Windows fields for a dialect that has them for containers, but not for pods, host processes and credential specs. */
bool normalise_windows_host_process(struct model *model, struct error *error)
{
    if (model->pod) {
        return drop_pod(model, error);
    }
    return !model->container || !model->container->windows ||
           refuse_host_process(model, model->container->windows->security_context, error);
}
