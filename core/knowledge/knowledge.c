#include "knowledge.h"

bool knowledge_init(struct knowledge *knowledge, struct worker *worker)
{
    *knowledge = (struct knowledge){
        .worker = worker, .index = id_index_new(), .places = pod_places_new(), .image_names = image_names_new()};
    return knowledge->index && knowledge->places && knowledge->image_names;
}

void knowledge_free(struct knowledge *knowledge)
{
    id_index_free(knowledge->index);
    pod_places_free(knowledge->places);
    image_names_free(knowledge->image_names);
}
