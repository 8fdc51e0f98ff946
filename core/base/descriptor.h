/* File descriptors. */
#pragma once

/* Closes it, unless it is -1, and makes it -1. */
void descriptor_close(int *descriptor);

/* Closes a local variable's descriptor at the end of its scope. */
#define DESCRIPTOR_CLEANUP __attribute__((cleanup(descriptor_close)))
