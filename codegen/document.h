/* YAML files, with the place of every node, for messages. A thin layer over libyaml's documents. */
#pragma once

#include <stdbool.h>
#include <yaml.h>

#include "codegen/mistakes.h"

struct document {
    const char *file;
    yaml_document_t yaml;
};

/* Reads a file, which must contain one mapping, without duplicate keys at any depth. false after reporting what is wrong;
   otherwise call document_close. */
bool document_open(struct document *document, const char *file);

/* Frees it, and every text that document_text has returned. */
void document_close(struct document *document);

yaml_node_t *document_root(struct document *document);
yaml_node_t *document_node(struct document *document, int index);

struct place document_place(const struct document *document, const yaml_node_t *node);

/* The text of a scalar; NULL after reporting that `what` must be a text. */
const char *document_text(const struct document *document, const yaml_node_t *node, const char *what);

/* Whether the node is a mapping, or a list; if not, reports that `what` must be one. */
bool document_is_mapping(const struct document *document, const yaml_node_t *node, const char *what);
bool document_is_list(const struct document *document, const yaml_node_t *node, const char *what);
