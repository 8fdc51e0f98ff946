#include "translate/explain/release.h"

#include <string.h>
#include <strings.h>

#include "translate/schema/method.h"

const struct release releases[] = {
    {"kubelet", RELEASE_CALLER, {1, 9, 0}, DIALECT_V1_9, DIALECT_V1_9},
    {"kubelet", RELEASE_CALLER, {1, 10, 0}, DIALECT_V1_12, DIALECT_V1_12},
    {"kubelet", RELEASE_CALLER, {1, 13, 0}, DIALECT_V1ALPHA2, DIALECT_V1ALPHA2},
    {"kubelet", RELEASE_CALLER, {1, 23, 0}, DIALECT_V1, DIALECT_V1ALPHA2},
    {"kubelet", RELEASE_CALLER, {1, 26, 0}, DIALECT_V1, DIALECT_V1},
    /* Before 1.1, a program of its own spoke CRI for it. */
    {"containerd", RELEASE_RUNTIME, {1, 1, 0}, DIALECT_V1_12, DIALECT_V1_12},
    {"containerd", RELEASE_RUNTIME, {1, 3, 0}, DIALECT_V1ALPHA2, DIALECT_V1ALPHA2},
    {"containerd", RELEASE_RUNTIME, {1, 6, 0}, DIALECT_V1, DIALECT_V1},
    {"cri-dockerd", RELEASE_RUNTIME, {0, 2, 0}, DIALECT_V1ALPHA2, DIALECT_V1ALPHA2},
    {"cri-dockerd", RELEASE_RUNTIME, {0, 3, 0}, DIALECT_V1, DIALECT_V1},
    {"cri-o", RELEASE_RUNTIME, {1, 9, 0}, DIALECT_V1_9, DIALECT_V1_9},
    {"cri-o", RELEASE_RUNTIME, {1, 10, 0}, DIALECT_V1_12, DIALECT_V1_12},
    {"cri-o", RELEASE_RUNTIME, {1, 13, 0}, DIALECT_V1ALPHA2, DIALECT_V1ALPHA2},
    {"cri-o", RELEASE_RUNTIME, {1, 21, 0}, DIALECT_V1, DIALECT_V1},
    /* The releases of the kubelet that it is part of. Those of 1.10 to 1.12 report Docker's version, so crigate cannot recognise
       them. */
    {"dockershim", RELEASE_RUNTIME, {1, 9, 0}, DIALECT_V1_9, DIALECT_V1_9},
    {"dockershim", RELEASE_RUNTIME, {1, 10, 0}, DIALECT_V1ALPHA2, DIALECT_V1ALPHA2},
};

const size_t release_count = sizeof releases / sizeof releases[0];

const struct release *release_of(const char *program, const struct version *version)
{
    const struct release *found = NULL;
    for (size_t i = 0; i < release_count; i++) {
        if (strcmp(releases[i].program, program) == 0 && !version_is_before(version, &releases[i].first)) {
            found = &releases[i];
        }
    }
    return found;
}

const struct release *release_first(const char *program)
{
    for (size_t i = 0; i < release_count; i++) {
        if (strcmp(releases[i].program, program) == 0) {
            return &releases[i];
        }
    }
    return NULL;
}

/* Of the runtime that reports that name; NULL: of none. */
static const struct release *first_release_of(const char *name)
{
    /* containerd's CRI was a program of its own before 1.1. */
    const char *program = strcasecmp(name, "cri-containerd") == 0 ? "containerd" : name;
    for (size_t i = 0; i < release_count; i++) {
        if (releases[i].side == RELEASE_RUNTIME && strcasecmp(releases[i].program, program) == 0) {
            return &releases[i];
        }
    }
    return NULL;
}

/* An RPC that a runtime lacks would prove too little: containerd 1.3 to 1.5 lack RPCs of the newest dialect of their package and
   yet understand its fields. */
enum dialect release_dialect_of(enum dialect answered, const char *name, const char *version)
{
    const struct release *release = first_release_of(name);
    struct version released;
    if (!release || !version_read(version, &released)) {
        return answered;
    }
    release = version_is_before(&released, &release->first) ? release : release_of(release->program, &released);
    for (enum dialect dialect = release->dialect; dialect < answered; dialect++) {
        if (dialects[dialect].caller == answered) {
            return dialect;
        }
    }
    return answered;
}
