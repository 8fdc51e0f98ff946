# What the confinement tests ask for. Most wishes are said twice: `v1_9` as a kubelet of that time says them, `v1` as one of today.
# What is meant is the same, and so must be the container.

# Kubelets of today say these for every container that is not privileged, those of 1.9 could not.
def usual_paths: {
    masked_paths: ["/proc/acpi", "/proc/asound", "/proc/interrupts", "/proc/kcore", "/proc/keys", "/proc/latency_stats",
        "/proc/sched_debug", "/proc/scsi", "/proc/timer_list", "/proc/timer_stats", "/sys/devices/virtual/powercap", "/sys/firmware"],
    readonly_paths: ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"]
};

# The security context of each pod, and what has the same words at all times (`linux`). Absent is how the oldest callers say most.
def pods: {
    ordinary: {
        v1_9: {seccomp_profile_path: "runtime/default"},
        v1: {namespace_options: {pid: "CONTAINER"}, seccomp: {profile_type: "RuntimeDefault"}},
        linux: {sysctls: {"net.ipv4.ip_default_ttl": "63"}}
    },
    host_network: {
        v1_9: {namespace_options: {host_network: true}},
        v1: {namespace_options: {network: "NODE", pid: "CONTAINER"}}
    },
    host_pid: {
        v1_9: {namespace_options: {host_pid: true}},
        v1: {namespace_options: {pid: "NODE"}}
    },
    host_ipc: {
        v1_9: {
            namespace_options: {host_ipc: true}, run_as_user: {value: 1000}, supplemental_groups: [5, 6], readonly_rootfs: true,
            seccomp_profile_path: ("localhost/" + $lab + "/no-mkdir.json")
        },
        v1: {
            namespace_options: {pid: "CONTAINER", ipc: "NODE"}, run_as_user: {value: 1000}, supplemental_groups: [5, 6],
            readonly_rootfs: true, seccomp: {profile_type: "Localhost", localhost_ref: ($lab + "/no-mkdir.json")}
        }
    },
    privileged: {
        v1_9: {privileged: true},
        v1: {privileged: true, namespace_options: {pid: "CONTAINER"}}
    }
};

# The containers, each with its pod, its security context, and what has the same words at all times (`config`, `resources`).
# They have their pod's namespaces, unless said otherwise, as kubelets say it.
def containers: {
    plain: {pod: "ordinary", v1_9: null, v1: {}},
    restricted: {
        pod: "ordinary",
        v1_9: {
            run_as_user: {value: 1000}, supplemental_groups: [5, 6], no_new_privs: true, readonly_rootfs: true,
            capabilities: {add_capabilities: ["NET_ADMIN"], drop_capabilities: ["CHOWN"]},
            seccomp_profile_path: "runtime/default"
        },
        v1: {
            run_as_user: {value: 1000}, supplemental_groups: [5, 6], no_new_privs: true, readonly_rootfs: true,
            capabilities: {add_capabilities: ["NET_ADMIN"], drop_capabilities: ["CHOWN"]},
            seccomp: {profile_type: "RuntimeDefault"}
        },
        resources: {cpu_period: 100000, cpu_quota: 50000, cpu_shares: 512, memory_limit_in_bytes: 67108864, oom_score_adj: 500},
        config: {
            mounts: [
                {container_path: "/mnt/given", host_path: ($lab + "/given"), readonly: true},
                {container_path: "/mnt/slave", host_path: ($lab + "/given"), propagation: "PROPAGATION_HOST_TO_CONTAINER"}
            ]
        }
    },
    by_name: {
        pod: "ordinary",
        v1_9: {run_as_username: "www-data", seccomp_profile_path: "docker/default"},
        v1: {run_as_username: "www-data", seccomp: {profile_type: "RuntimeDefault"}},
        config: {mounts: [{container_path: "/mnt/given", host_path: ($lab + "/given")}]}
    },
    capable: {
        pod: "ordinary",
        v1_9: {
            capabilities: {add_capabilities: ["SYS_RAWIO"], drop_capabilities: ["CHOWN"]},
            seccomp_profile_path: "unconfined", apparmor_profile: "unconfined"
        },
        v1: {
            capabilities: {add_capabilities: ["SYS_RAWIO"], drop_capabilities: ["CHOWN"]},
            seccomp: {profile_type: "Unconfined"}, apparmor: {profile_type: "Unconfined"}
        },
        config: {
            mounts: [{container_path: "/mnt/given", host_path: ($lab + "/given")}],
            devices: [{container_path: "/dev/given", host_path: "/dev/zero", permissions: "r"}]
        }
    },
    incapable: {
        pod: "ordinary",
        v1_9: {capabilities: {add_capabilities: ["NET_BIND_SERVICE"], drop_capabilities: ["ALL"]}},
        v1: {capabilities: {add_capabilities: ["NET_BIND_SERVICE"], drop_capabilities: ["ALL"]}},
        resources: {oom_score_adj: -998}
    },
    profiled: {
        pod: "ordinary",
        v1_9: {seccomp_profile_path: ("localhost/" + $lab + "/no-mkdir.json")},
        v1: {seccomp: {profile_type: "Localhost", localhost_ref: ($lab + "/no-mkdir.json")}}
    },
    apparmor: {
        pod: "ordinary",
        v1_9: {apparmor_profile: "runtime/default"},
        v1: {apparmor: {profile_type: "RuntimeDefault"}}
    },
    unknown_apparmor: {
        pod: "ordinary",
        v1_9: {apparmor_profile: "localhost/absent-profile"},
        v1: {apparmor: {profile_type: "Localhost", localhost_ref: "absent-profile"}}
    },
    unknown_seccomp: {
        pod: "ordinary",
        v1_9: {seccomp_profile_path: "localhost//absent/profile.json"},
        v1: {seccomp: {profile_type: "Localhost", localhost_ref: "/absent/profile.json"}}
    },
    host_network: {pod: "host_network", v1_9: {namespace_options: {host_network: true}}, v1: {}},
    host_pid: {pod: "host_pid", v1_9: {namespace_options: {host_pid: true}}, v1: {}},
    host_ipc: {pod: "host_ipc", v1_9: {namespace_options: {host_ipc: true}}, v1: {}},
    privileged: {
        pod: "privileged",
        v1_9: {privileged: true},
        v1: {privileged: true},
        config: {
            mounts: [{container_path: "/mnt/shared", host_path: ($lab + "/given"), propagation: "PROPAGATION_BIDIRECTIONAL"}]
        }
    }
};

# Kubelets up to 1.19 spoke v1alpha2 and said profiles as strings.
def with_strings($old):
    del(.seccomp, .apparmor) + ($old // {} | with_entries(select(.key | endswith("profile") or endswith("profile_path"))));

def without_nulls: with_entries(select(.value != null));

# security($dialect): of a pod or container, in that dialect's words. `v1_10` is v1alpha2 as kubelets 1.10 and 1.11 speak it.
def security($dialect; $paths):
    if $dialect == "v1_9" then .v1_9
    else
        . as $both | .v1
        | if .privileged then . else $paths * . end
        | if $dialect == "v1" then . else with_strings($both.v1_9) end
        | if $dialect == "v1_10" then del(.masked_paths, .readonly_paths) else . end
    end;

# Names as Kubernetes has them. cri-dockerd could not tell those with underscores apart.
def proper: gsub("_"; "-");

def pod($dialect; $name): ($way + "-" + ($name | proper)) as $proper | {
    metadata: {name: $proper, namespace: "e2e", uid: ("uid-of-" + $proper), attempt: 1},
    hostname: (if $name == "host_network" then "" else "confined" end), log_directory: ($lab + "/logs/" + $way),
    dns_config: {servers: ["127.0.0.1"]}, labels: {suite: "e2e"},
    linux: ({cgroup_parent: ($cgroup + "/" + $way + "-" + $name), security_context: (pods[$name] | security($dialect; {}))}
        + (pods[$name].linux // {}))
};

def container($dialect; $name):
    containers[$name] as $wishes
    | pods[$wishes.pod].v1 as $pod
    | ($wishes | .v1 |= {namespace_options: $pod.namespace_options} + . | security($dialect; usual_paths)) as $security
    | {
        metadata: {name: ($name | proper), attempt: 1}, image: {image: $image}, command: ["/bin/sh", "-c", $observe],
        log_path: ($name + ".log"), linux: ({security_context: $security, resources: $wishes.resources} | without_nulls)
    } + ($wishes.config // {});

# requests($wanted): of these containers, or of all when there are none, each pod's before those of its containers. A line each: pod
# or container, name, request, with tabs between. POD_ID stands for what is not known yet.
def requests($wanted):
    [containers | to_entries[] | select($wanted == [] or (.key | IN($wanted[])))]
    | group_by(.value.pod)[]
    | .[0].value.pod as $pod
    | pod($dialect; $pod) as $config
    | "pod\t\($pod)\t\({config: $config})",
      (.[].key | "container\t\(.)\t\({pod_sandbox_id: "POD_ID", config: container($dialect; .), sandbox_config: $config})");
