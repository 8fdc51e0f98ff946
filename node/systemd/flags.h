/* The kubelet's command line, read as it reads it itself: by the rules of Go's package pflag. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes/arena.h"
#include "base/bytes/error.h"

/* An option on the command line. */
struct kubelet_flag {
    const char *name;  /* without dashes; "_" is written as "-", which a kubelet takes for the same */
    const char *value; /* "true" for a switch without a value */
    size_t word;       /* the number of the word with the name */
    size_t value_word; /* of the word with the value: the same, or the next */
    size_t value_at;   /* where the value begins in that word; a switch without a value: its end */
    bool is_bare;      /* a switch without a value */
};

struct kubelet_flags {
    const struct kubelet_flag *items;
    size_t count;
};

/* Reads a command line; words[program] is the program's name (hyperkube's "kubelet" may follow), and what is before it is passed
   over. What follows "--" and words that belong to no option are left out. false: out of memory. */
bool kubelet_flags_read(const char *const *words, size_t count, size_t program, struct arena *arena, struct kubelet_flags *flags,
                        struct error *error);

/* The last one of that name, which is the one that counts, or NULL. */
const struct kubelet_flag *kubelet_flags_last(const struct kubelet_flags *flags, const char *name);
