/* What an id identifies: the two kinds of things that a runtime holds and callers address by an id. */
#pragma once

enum id_kind {
    ID_POD,
    ID_CONTAINER,
};

#define ID_KIND_COUNT 2
