/* Finds values of settings that only root may see, in a line of a file that starts or configures a service. */
#pragma once

#include "base/bytes/bytes.h"

/* Finds the first secret that ends behind `from`: line[*begin, *end), not empty, which may begin before `from`. false: there is
   none.

   A secret is the value of a name with "password", "token", "secret" or the like in it, in "NAME=value", "name: value" and
   "--name value", and what follows "Bearer" or "Basic". In quotes it ends with them; without quotes, that of "name: value" with
   the line, and others with white space. Names of files, folders and configurations are none, as in tokenFile. */
bool setting_secret_find(struct bytes line, size_t from, size_t *begin, size_t *end);
