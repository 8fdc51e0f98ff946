/* What an id names: the two kinds of things that a runtime holds and callers name by an id. */
#ifndef CRIGATE_TRANSLATE_SCHEMA_ID_KIND_H
#define CRIGATE_TRANSLATE_SCHEMA_ID_KIND_H

enum id_kind {
    ID_POD,
    ID_CONTAINER,
};

#define ID_KIND_COUNT 2

#endif
