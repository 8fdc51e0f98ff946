/* Names of facts in the journal of an installation: what uninstall must know, and what was there before. A fact that is not set
   was not there, or is not known. */
#pragma once

/* The address that crigate listens on, that of the runtime behind it, and crigate's control socket. */
#define FACT_ENDPOINT "endpoint"
#define FACT_DIRECT "direct_endpoint"
#define FACT_CONTROL "control"

/* The kubelet's unit, and its address of /healthz. */
#define FACT_KUBELET_UNIT "kubelet_unit"
#define FACT_HEALTHZ "healthz"

/* The newest process of the kubelet that began with the files as they were before (process_identity); "none": it was not
   running. */
#define FACT_KUBELET_PROCESS "kubelet_process"
#define KUBELET_DID_NOT_RUN "none"

/* Set if the kubelet could not start before: its runtime does not serve the package that it asks for. */
#define FACT_KUBELET_KEPT_DOWN "kubelet_kept_down"

/* What systemd said of crigate's units before they were touched: "enabled", "disabled", …; "active", "inactive", …; "absent". */
#define FACT_UNIT_ENABLED "unit_enabled_before"
#define FACT_UNIT_ACTIVE "unit_active_before"
#define FACT_SOCKET_ENABLED "socket_enabled_before"
#define FACT_SOCKET_ACTIVE "socket_active_before"
#define FACT_ABSENT "absent"

/* The same for the unit that replaced the Docker that was built into the kubelet. Not set: there was no such Docker. */
#define FACT_DOCKER_ENABLED "docker_unit_enabled_before"
#define FACT_DOCKER_ACTIVE "docker_unit_active_before"
