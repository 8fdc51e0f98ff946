/* The file in which the snaps of MicroK8s and Canonical Kubernetes have the kubelet's options, one on a line. */
#pragma once

#include "node/systemd/unit_command.h"

#define MICROK8S_ARGUMENTS "/var/snap/microk8s/current/args/kubelet"
#define CANONICAL_ARGUMENTS "/var/snap/k8s/common/args/kubelet"

/* Reads it as if it were a command line of a unit. Snap's variables in values are replaced. Lives in the arena. NULL with the
   failures of node_file_read. */
struct unit_command *snap_command_read(const char *path, struct arena *arena, struct error *error);
