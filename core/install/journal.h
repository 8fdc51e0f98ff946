/* What an installation changed on this node: core/journal/journal.h. */
#pragma once

#include "core/journal/journal.h"
