#include "sim/common/wishes.h"

#include <signal.h>
#include <stddef.h>

static struct wishes wishes;

static void on_signal(int number)
{
    if (number == SIGUSR1 || number == SIGUSR2) {
        wishes.late = number == SIGUSR1;
    } else if (number == SIGHUP) {
        wishes.drop = true;
    } else {
        wishes.stop = true;
    }
}

struct wishes *wishes_catch(bool drops)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    if (drops) {
        sigaction(SIGHUP, &action, NULL);
    }
    signal(SIGPIPE, SIG_IGN);
    return &wishes;
}
