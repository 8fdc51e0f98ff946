#include "docker/hooks/plugin_feed.h"

#include <stdlib.h>

#include "core/plugins/folder.h"
#include "core/plugins/registry.h"
#include "core/service/folder_watch.h"

struct plugin_feed {
    const char *folder;
    unsigned timeout;
    plugin_feed_deliver *deliver;
    void *state;
    struct plugin_registry registry;
    struct poll_thread *poll_thread;
    struct folder_watch *watch;
};

static void look(void *state)
{
    struct plugin_feed *feed = state;
    if (plugin_registry_read(&feed->registry, feed->folder, feed->timeout)) {
        feed->deliver(feed->state, plugin_registry_share(&feed->registry));
    }
}

struct plugin_feed *plugin_feed_open(const char *folder, unsigned timeout, plugin_feed_deliver *deliver, void *state,
                                     struct error *error)
{
    struct plugin_feed *feed = calloc(1, sizeof *feed);
    if (!feed) {
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "out of memory");
        return NULL;
    }
    *feed = (struct plugin_feed){.folder = folder, .timeout = timeout, .deliver = deliver, .state = state};
    plugin_folder_make(folder);
    look(feed); /* the first plugins are there before the first caller is */
    feed->poll_thread = poll_thread_new(error);
    if (feed->poll_thread) {
        feed->watch = folder_watch_open(folder, feed->poll_thread, look, feed, error);
    }
    if (!feed->watch || !poll_thread_start(feed->poll_thread, error)) {
        plugin_feed_close(feed);
        return NULL;
    }
    return feed;
}

void plugin_feed_close(struct plugin_feed *feed)
{
    if (feed->poll_thread) {
        poll_thread_stop(feed->poll_thread);
    }
    folder_watch_close(feed->watch);
    poll_thread_close(feed->poll_thread);
    plugin_registry_clear(&feed->registry);
    free(feed);
}
