/* The name that the user requested for a container's image. */
#include "translate/model/model.h"

#include "translate/bytes/image_id.h"

/* The name by which a caller asked for the image whose id or digest is in the request; else the reference in the request, if it
   is a name. */
bool normalise_user_specified_image(struct model *model, struct error *error)
{
    Model__ImageSpec *image = model->container ? model->container->image : NULL;
    if (!image || *image->user_specified_image != '\0' || !dialect_has_field(model->to, "ImageSpec", "user_specified_image")) {
        return true;
    }
    if (model->image_name.len > 0) {
        image->user_specified_image = arena_string(model->arena, model->image_name);
    } else if (image_id_is_name(bytes_of_string(image->image))) {
        image->user_specified_image = image->image;
    } else {
        return true;
    }
    model->changed = true;
    return image->user_specified_image != NULL ||
           error_set(error, STATUS_RESOURCE_EXHAUSTED, "%s: not enough memory for this call", model->path);
}
