#include "node/systemd/flags.h"

#include <ctype.h>
#include <string.h>

/* The kubelet's switches that may be without a value, of all releases: they take no value from the next word. Of an option that
   is missing here, the next word shows what it is: a value never begins with two dashes. */
static const char *const switches[] = {
    "allow-privileged",
    "alsologtostderr",
    "anonymous-auth",
    "authentication-token-webhook",
    "cgroups-per-qos",
    "containerized",
    "contention-profiling",
    "cpu-cfs-quota",
    "docker-disable-shared-pid",
    "docker-only",
    "docker-tls",
    "enable-cadvisor-json-endpoints",
    "enable-controller-attach-detach",
    "enable-custom-metrics",
    "enable-debugging-handlers",
    "enable-load-reader",
    "enable-server",
    "exit-on-lock-contention",
    "experimental-allocatable-ignore-eviction",
    "experimental-check-node-capabilities-before-mount",
    "experimental-dockershim",
    "experimental-fail-swap-on",
    "experimental-kernel-memcg-notification",
    "experimental-logging-sanitization",
    "fail-swap-on",
    "help",
    "keep-terminated-pod-volumes",
    "kernel-memcg-notification",
    "local-storage-capacity-isolation",
    "log-cadvisor-usage",
    "log-json-split-stream",
    "log-text-split-stream",
    "logtostderr",
    "make-iptables-util-chains",
    "one-output",
    "protect-kernel-defaults",
    "really-crash-for-testing",
    "redirect-container-streaming",
    "register-node",
    "register-schedulable",
    "require-kubeconfig",
    "rotate-certificates",
    "rotate-server-certificates",
    "runonce",
    "seccomp-default",
    "serialize-image-pulls",
    "skip-headers",
    "skip-log-headers",
    "windows-service",
};

static bool is_switch(const char *name)
{
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++) {
        if (strcmp(switches[i], name) == 0) {
            return true;
        }
    }
    return strcmp(name, "version") == 0; /* a text, which may be without a value */
}

/* Whether the word may be the value of the option before it. */
static bool may_be_value(const char *word)
{
    return word && strncmp(word, "--", 2) != 0 && (word[0] != '-' || word[1] == '\0' || isdigit((unsigned char)word[1]));
}

/* The options that the plan is about have a value, whatever it looks like. */
static bool always_has_value(const char *name)
{
    static const char *const names[] = {
        "container-runtime", "container-runtime-endpoint", "image-service-endpoint", "config", "config-dir", "cgroup-driver"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Reads "--name", "--name=value" or "--name" "value" at words[*at]. false: no memory. */
static bool read_flag(const char *const *words, size_t count, size_t *at, struct arena *arena, struct kubelet_flag *flag)
{
    const char *word = words[*at];
    size_t len = strcspn(word + 2, "=");
    char *name = arena_string(arena, bytes_of(word + 2, len));
    if (!name) {
        return false;
    }
    for (char *c = name; *c; c++) {
        *c = *c == '_' ? '-' : *c;
    }
    *flag = (struct kubelet_flag){.name = name, .word = *at, .value_word = *at, .value_at = len + 3};
    if (word[2 + len] == '=') {
        flag->value = word + len + 3;
        return true;
    }
    const char *next = *at + 1 < count ? words[*at + 1] : NULL;
    if (next && (always_has_value(name) || (!is_switch(name) && may_be_value(next)))) {
        flag->value = next;
        flag->value_word = ++*at;
        flag->value_at = 0;
        return true;
    }
    flag->value = "true";
    flag->value_at = len + 2;
    flag->is_bare = true;
    return true;
}

bool kubelet_flags_read(const char *const *words, size_t count, size_t program, struct arena *arena, struct kubelet_flags *flags,
                        struct error *error)
{
    struct kubelet_flag *items = arena_zalloc(arena, (count + 1) * sizeof *items);
    if (!items) {
        return error_out_of_memory(error);
    }
    *flags = (struct kubelet_flags){.items = items};
    for (size_t at = program + 1; at < count; at++) {
        const char *word = words[at];
        if (strcmp(word, "--") == 0) {
            break;
        }
        if (strcmp(word, "-v") == 0) {
            at++; /* its value */
        } else if (strncmp(word, "--", 2) == 0 && word[2] != '=') {
            if (!read_flag(words, count, &at, arena, &items[flags->count])) {
                return error_out_of_memory(error);
            }
            flags->count++;
        }
    }
    return true;
}

const struct kubelet_flag *kubelet_flags_last(const struct kubelet_flags *flags, const char *name)
{
    for (size_t i = flags->count; i > 0; i--) {
        if (strcmp(flags->items[i - 1].name, name) == 0) {
            return &flags->items[i - 1];
        }
    }
    return NULL;
}
