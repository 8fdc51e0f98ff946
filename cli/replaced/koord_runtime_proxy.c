#include <string.h>

#include "base/log/log.h"
#include "base/options/output.h"
#include "cli/replaced/map_text.h"
#include "cli/replaced/program.h"

#define NAME "koord-runtime-proxy"
#define CONTAINERD "/var/run/containerd/containerd.sock"

/* Where Docker Engine is if no option says so. */
#define DOCKER "/var/run/docker.sock"

enum {
    LISTEN,
    RUNTIME,
    IMAGES,
    MODE,
    SKIP_LABEL,
    SKIP_VALUE,
    FLAGS,
};

/* The defaults are koord-runtime-proxy's. Its images once had a default of their own, containerd's socket even in front of
   another runtime; today they are the runtime's. */
static const struct go_flag flags[FLAGS] = {
    [LISTEN] = {"koord-runtimeproxy-endpoint", GO_FLAG_TEXT, GO_FLAG_USED, "/var/run/koord-runtimeproxy/runtimeproxy.sock", NULL},
    [RUNTIME] = {"remote-runtime-service-endpoint", GO_FLAG_TEXT, GO_FLAG_USED, CONTAINERD, NULL},
    [IMAGES] = {"remote-image-service-endpoint", GO_FLAG_TEXT, GO_FLAG_USED, "", NULL},
    [MODE] = {"backend-runtime-mode", GO_FLAG_TEXT, GO_FLAG_USED, "Containerd", NULL},
    [SKIP_LABEL] = {"runtime-hook-server-key", GO_FLAG_TEXT, GO_FLAG_USED, "runtimeproxy.koordinator.sh/skip-hookserver", NULL},
    [SKIP_VALUE] = {"runtime-hook-server-val", GO_FLAG_TEXT, GO_FLAG_USED, "true", NULL},
};

static const struct option_row rows[] = {
    {256, "koord-runtimeproxy-endpoint", "SOCKET",
     "where kubelets connect (default /var/run/koord-runtimeproxy/runtimeproxy.sock)", COMPLETE_FILE, NULL, OPTION_OWN},
    {256, "remote-runtime-service-endpoint", "SOCKET", "the runtime (default " CONTAINERD "; with Docker " DOCKER ")",
     COMPLETE_FILE, NULL, OPTION_OWN},
    {256, "remote-image-service-endpoint", "SOCKET", "its image service (default: the runtime's socket)", COMPLETE_FILE, NULL,
     OPTION_OWN},
    {256, "backend-runtime-mode", "MODE",
     "Containerd: any runtime that speaks CRI (default). Docker: Docker Engine, for a kubelet that has Docker built in; "
     "starts `crigate docker-proxy`",
     COMPLETE_WORDS, "Containerd Docker", OPTION_OWN},
    {256, "runtime-hook-server-key", "KEY",
     "the label of pods without hooks (default runtimeproxy.koordinator.sh/skip-hookserver)", COMPLETE_NOTHING, NULL, OPTION_OWN},
    {256, "runtime-hook-server-val", "VALUE", "its value (default true)", COMPLETE_NOTHING, NULL, OPTION_OWN},
    REPLACED_COMMON_ROWS};

const struct command_line replaced_koord_runtime_proxy_line = {
    .command = NAME,
    .synopsis = "crigate koord-runtime-proxy [OPTION]...",
    .about = "Starts crigate in place of Koordinator's runtime proxy: one runtime, and the plugins of /etc/runtime/hookserver.d "
             "before and\n"
             "after its calls. A link to crigate with the name koord-runtime-proxy does the same.",
    .rows = rows,
    .row_count = sizeof rows / sizeof rows[0],
    .after = REPLACED_AFTER,
};

static bool is_docker(const char *const *values)
{
    return strcmp(values[MODE], "Docker") == 0;
}

/* A path may have the scheme in front, as for the other mode. */
static bool add_pair(struct replaced_command *command, const char *option, const char *value)
{
    return replaced_command_add(command, option) && replaced_command_add(command, value);
}

static bool write_command(const char *const *values, struct replaced_command *command)
{
    if (!is_docker(values)) {
        return true;
    }
    const char *docker = strcmp(values[RUNTIME], CONTAINERD) == 0 ? DOCKER : values[RUNTIME];
    if (values[IMAGES][0] != '\0') {
        log_line(LOG_SERIOUS, "-remote-image-service-endpoint has no meaning with Docker, and is ignored");
    }
    return replaced_command_add(command, "docker-proxy") && add_pair(command, "--listen", values[LISTEN]) &&
           add_pair(command, "--docker", docker) && add_pair(command, "--skip-label", values[SKIP_LABEL]) &&
           add_pair(command, "--skip-value", values[SKIP_VALUE]);
}

static int write_map(const char *const *values, FILE *out)
{
    if (strcmp(values[MODE], "Containerd") != 0) {
        return command_usage_error(NAME, "-backend-runtime-mode must be Containerd or Docker: %s", values[MODE]);
    }
    map_text_listen(out, values[LISTEN]);
    fputs("runtimes:\n"
          "  - name: primary\n"
          "    primary: true\n",
          out);
    map_text_pair(out, "    endpoint", values[RUNTIME]);
    if (values[IMAGES][0] != '\0') {
        map_text_pair(out, "    image_endpoint", values[IMAGES]);
    }
    fputs("hooks:\n"
          "  skip:\n",
          out);
    map_text_pair(out, "    label", values[SKIP_LABEL]);
    map_text_pair(out, "    value", values[SKIP_VALUE]);
    return -1;
}

const struct replaced_program replaced_koord_runtime_proxy = {
    .name = NAME,
    .source = "options of " NAME,
    .line = &replaced_koord_runtime_proxy_line,
    .flags = flags,
    .flag_count = FLAGS,
    .write_map = write_map,
    .write_command = write_command,
};
_Static_assert(FLAGS <= REPLACED_MOST_FLAGS, "a value for each flag");
