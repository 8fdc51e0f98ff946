/* A kubelet and a runtime: which CRI they have in common, and what is lost between them. Pure. */
#pragma once

#include "node/kubelet/kubelet.h"
#include "node/preflight/runtime_found.h"

/* The dialects that a kubelet tries, the first one first. */
struct kubelet_dialects {
    enum dialect tried[2];
    size_t count;
};

/* Releases and their dialects: translate/explain/release.h. false: the version is not known, or older than 1.9. */
bool kubelet_dialects_of(const struct kubelet_version *version, struct kubelet_dialects *kubelet);

struct pair {
    enum dialect caller;  /* the kubelet's own: it does not set what came later to its package */
    enum dialect runtime; /* as crigate calls the runtime */
    bool direct;          /* the runtime serves a package that the kubelet tries */
    const char *package;  /* that the kubelet would ask for last: "runtime.v1" */
    /* Differences, as `crigate explain` counts them. */
    size_t refused;  /* in requests: the call fails if the field is set */
    size_t judged;   /* in requests: carried, harmless or refused, depending on the value */
    size_t left_out; /* in requests */
    /* What the runtime accepts in requests but ignores, by its name and version, as `crigate explain` counts it. */
    size_t ignored_refused; /* the call fails if it asks for that */
    size_t ignored;         /* the call passes, and the value is lost */
    size_t answers_left_out;
    size_t lacking; /* RPCs that the runtime lacks */
};

/* The same kubelet, and another runtime behind crigate, which reports that name to Version: what is lost then. `direct` and
   `package` stay as they are. */
void pair_replace_runtime(struct pair *pair, enum dialect runtime, const char *name);

/* false: the kubelet's dialect is not known, or the runtime speaks none. */
bool pair_of(const struct kubelet_version *version, const struct runtime_found *runtime, struct pair *pair);
