#include "descriptor.h"

#include <unistd.h>

void descriptor_close(int *descriptor)
{
    if (*descriptor >= 0) {
        close(*descriptor);
        *descriptor = -1;
    }
}
