/* Ports of pods. */
#include <stdio.h>

#include "translate/model/model.h"
#include "translate/model/usual.h"

/* SCTP for a dialect without it. A port that no port of the node leads to is only declared, as kubelets do for each port of a
   container: it is left out whole. Others are refused; one that is let through keeps its place, and gets the default protocol. */
bool normalise_sctp_ports(struct model *model, struct error *error)
{
    size_t kept = 0, count = model->pod ? model->pod->n_port_mappings : 0;
    for (size_t i = 0; i < count; i++) {
        Model__PortMapping *port = model->pod->port_mappings[i];
        bool sctp = usual_is_sctp((int32_t)port->protocol);
        char field[64];
        snprintf(field, sizeof field, "port_mappings[%zu]%s", i, port->host_port > 0 ? ".protocol" : "");
        if (sctp && port->host_port <= 0) {
            model_drop(model, RULE_Protocol_SCTP, field);
            model->changed = true;
            continue;
        }
        if (sctp && !model_refuse(model, error, RULE_Protocol_SCTP, field, "lacks it: %s",
                                  "the port would be mapped for another protocol")) {
            return false;
        }
        model->pod->port_mappings[kept++] = port;
    }
    if (model->pod) {
        model->pod->n_port_mappings = kept;
    }
    return true;
}
