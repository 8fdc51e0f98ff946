#include "core/gateway/takeover.h"

#include "core/memory/resume.h"
#include "core/memory/save.h"

void gateway_lend(struct gateway *gateway)
{
    knowledge_lend(&gateway->knowledge);
}

void gateway_take_part(struct gateway *gateway)
{
    knowledge_take_part(&gateway->knowledge);
    hooks_take_part(&gateway->hooks);
}

void gateway_predecessor_drained(struct gateway *gateway)
{
    knowledge_predecessor_drained(&gateway->knowledge);
}
