#include "cli/replaced/map_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/system/unix_socket.h"
#include "core/map/map.h"

void map_text_pair(FILE *out, const char *key, const char *text)
{
    fprintf(out, "%s: \"", key);
    for (const unsigned char *letter = (const unsigned char *)text; *letter; letter++) {
        if (*letter == '"' || *letter == '\\') {
            fprintf(out, "\\%c", *letter);
        } else if (*letter < ' ' || *letter > '~') {
            fprintf(out, "\\x%02x", *letter);
        } else {
            putc(*letter, out);
        }
    }
    fputs("\"\n", out);
}

void map_text_listen(FILE *out, const char *socket)
{
    static const char suffix[] = ".sock";
    const char *path = unix_socket_path(socket);
    size_t len = strlen(path);
    bool has_suffix = string_ends_with(path, suffix);
    char *state = NULL;
    size_t size = 0;
    FILE *text = open_memstream(&state, &size);
    if (text) {
        fprintf(text, "%.*s%s", (int)(has_suffix ? len - strlen(suffix) : len), path, has_suffix ? "" : ".state");
        fclose(text);
    }
    map_text_pair(out, "listen", socket);
    if (state) {
        map_text_pair(out, "state", state);
    }
    free(state);
}
