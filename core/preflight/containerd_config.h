/* What matters in containerd's configuration file. Pure. */
#pragma once

#include "translate/bytes/bytes.h"

/* The line, from 1, of the entry in the list `disabled_plugins` that switches CRI off; 0 if there is none, or if the text is no
   TOML as far as it was read. The list may span lines. */
unsigned containerd_config_disables_cri(struct bytes text);
