/* Ports of pods. */
#include <stdio.h>

#include "translate/model/model.h"
#include "translate/model/usual.h"

/* SCTP for a dialect without it. A port that no port of the node leads to is only declared, as kubelets do for each port of a
   container: nothing is mapped, whatever its protocol. Others keep it, and are refused. */
bool normalise_sctp_ports(struct model *model, struct error *error)
{
    (void)error;
    for (size_t i = 0; model->pod && i < model->pod->n_port_mappings; i++) {
        Model__PortMapping *port = model->pod->port_mappings[i];
        if (usual_is_sctp((int32_t)port->protocol) && port->host_port <= 0) {
            char field[64];
            snprintf(field, sizeof field, "port_mappings[%zu].protocol", i);
            model_drop(model, RULE_Protocol_SCTP, field);
            port->protocol = MODEL__PROTOCOL__TCP;
            model->changed = true;
        }
    }
    return true;
}
