/* A file as it is, and as it shall be. */
#pragma once

#include "node/files/node_file.h"

struct planned_file {
    struct node_file before;
    struct bytes after; /* data NULL: the file goes */
    mode_t mode;        /* of a new file */
    const char *why;    /* one line: "the kubelet's runtime endpoint (flag in KUBELET_KUBEADM_ARGS)" */
};
