/* Which files change so that the kubelet calls another socket. Pure: reads what kubelet.h found and the files it names, writes
   nothing. */
#pragma once

#include "node/files/planned.h"
#include "node/kubelet/kubelet.h"

#define PLAN_MOST_FILES 8
#define PLAN_MOST_LINES 16

struct plan {
    struct planned_file files[PLAN_MOST_FILES];
    size_t file_count;
    const char *by_hand[PLAN_MOST_LINES]; /* what no file holds: a command or an instruction, one line each */
    size_t by_hand_count;
    const char *warnings[PLAN_MOST_LINES]; /* what changes or may surprise */
    size_t warning_count;
    const char
        *impossible; /* NULL, or why crigate must not edit this node: then there are no files, and by_hand says what to do */
    const char *needs_callers; /* "1.10" or "1.11" if the runtime map needs `callers`, else NULL */
};

/* Plans to point the kubelet at `endpoint` ("unix:///run/crigate/crigate.sock"): in the place that this release reads and that
   its kubeadm will not undo. An empty plan (no files, not impossible) means that the kubelet calls it already. */
bool plan_make(const struct kubelet *kubelet, const char *endpoint, struct arena *arena, struct plan *plan, struct error *error);

/* How a kubelet knows CRI-O's endpoint, and where crigate listens for it. */
#define PLAN_CRIO_END "run/crio/crio.sock"
#define PLAN_LISTEN_LIKE_CRIO "unix:///run/crigate/" PLAN_CRIO_END

/* The endpoint that crigate must listen on for this kubelet, where another name would change what it does: one that ends in
   "run/crio/crio.sock" if the current endpoint does (the kubelet then takes statistics from cAdvisor). */
const char *plan_listen_endpoint(const struct kubelet *kubelet, struct arena *arena);
