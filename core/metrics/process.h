/* What Prometheus' own clients report of their process, under the same names. */
#pragma once

#include "core/metrics/sample.h"

/* Adds what the kernel says of this process; what cannot be read is left out. Any thread. */
void metric_add_process(struct metric_samples *samples);
