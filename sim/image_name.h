/* Image names as Docker and containerd read them. */
#pragma once

#include <stdbool.h>

#define IMAGE_NAME_SIZE 512

struct image_name {
    char repository[IMAGE_NAME_SIZE]; /* with the registry: "docker.io/library/busybox" */
    char full[IMAGE_NAME_SIZE];       /* with ":tag" or, if there is one, "@digest" */
    bool by_digest;
};

/* Splits a name and fills in the implied parts: the registry docker.io, its "library/", the tag "latest". false if it is not a
   name. */
bool image_name_parse(const char *text, struct image_name *name);
