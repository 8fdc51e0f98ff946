/* Windows pods and containers. */
#include "model.h"

#include "report.h"

static bool says(const char *text)
{
    return *text != '\0';
}

/* No dialect without host processes has anything of a Windows pod. */
static bool drop_pod(struct model *model, struct error *error)
{
    Model__WindowsPodSandboxConfig *windows = model->pod->windows;
    if (!windows) {
        return true;
    }
    const Model__WindowsSandboxSecurityContext *security = windows->security_context;
    if (security && says(security->run_as_username)) {
        return model_refuse(model, error, "windows.security_context.run_as_username", "the runtime's dialect lacks Windows pods");
    }
    if (security && says(security->credential_spec)) {
        return model_refuse(model, error, "windows.security_context.credential_spec", "the runtime's dialect lacks Windows pods");
    }
    if (security && security->host_process) {
        return model_refuse(model, error, "windows.security_context.host_process", "the runtime's dialect lacks host processes");
    }
    if (security && security->namespace_options && security->namespace_options->network != MODEL__NAMESPACE_MODE__POD) {
        return model_refuse(model, error, "windows.security_context.namespace_options.network",
                            "a network other than the pod's cannot be said: the runtime's dialect lacks Windows pods");
    }
    report_drop_field(model->report, "PodSandboxConfig.windows");
    model->pod->windows = NULL;
    model->changed = true;
    return true;
}

static bool refuse_host_process(const struct model *model, const Model__WindowsContainerSecurityContext *security,
                                struct error *error)
{
    if (security && says(security->credential_spec)) {
        return model_refuse(model, error, "windows.security_context.credential_spec",
                            "the runtime's dialect lacks credential specs");
    }
    if (security && security->host_process) {
        return model_refuse(model, error, "windows.security_context.host_process", "the runtime's dialect lacks host processes");
    }
    return true;
}

/* Windows for a dialect without it: counted, or refused where it says who a process runs as. */
bool normalise_windows(struct model *model, struct error *error)
{
    if (model->pod) {
        return drop_pod(model, error);
    }
    if (!model->container || !model->container->windows) {
        return true;
    }
    const Model__WindowsContainerSecurityContext *security = model->container->windows->security_context;
    if (security && says(security->run_as_username)) {
        return model_refuse(model, error, "windows.security_context.run_as_username",
                            "the runtime's dialect lacks Windows containers");
    }
    if (!refuse_host_process(model, security, error)) {
        return false;
    }
    report_drop_field(model->report, "ContainerConfig.windows");
    model->container->windows = NULL;
    model->changed = true;
    return true;
}

/* Windows for a dialect that has containers' part of it but no pods', no host processes and no credential specs. */
bool normalise_windows_host_process(struct model *model, struct error *error)
{
    if (model->pod) {
        return drop_pod(model, error);
    }
    return !model->container || !model->container->windows ||
           refuse_host_process(model, model->container->windows->security_context, error);
}
