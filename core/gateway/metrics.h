/* The gateway's metrics. */
#pragma once

#include "core/gateway/gateway.h"
#include "core/metrics/sample.h"

/* Adds all that the worker knows. Worker's thread, for which it is cheap: numbers are copied, not written as text. */
void gateway_add_metrics(struct gateway *gateway, struct metric_samples *samples);

/* Whether calls are answered: the gateway is not stopping, and the primary is ready. Worker's thread. */
bool gateway_is_ready(const struct gateway *gateway);
