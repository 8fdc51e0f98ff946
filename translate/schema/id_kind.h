/* What an id names: the two kinds of things that a runtime holds and callers name by an id. */
#pragma once

enum id_kind {
    ID_POD,
    ID_CONTAINER,
};

#define ID_KIND_COUNT 2
