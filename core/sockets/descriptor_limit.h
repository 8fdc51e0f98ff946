/* How the process's descriptors are shared out: callers' connections get some, and the rest is kept back for what the gateway
   itself needs, so that runtimes can be connected to and the control socket answers when callers take all that they can get. */
#ifndef CRIGATE_SOCKETS_DESCRIPTOR_LIMIT_H
#define CRIGATE_SOCKETS_DESCRIPTOR_LIMIT_H

#include <stddef.h>

/* Lets the process have as many as its hard limit says, but none with a number that nothing here is made for. */
void descriptors_raise(void);

/* How many of the things that are wanted, with so many descriptors each, can be had. At least one. */
size_t descriptors_share(size_t wanted, size_t each);

#endif
