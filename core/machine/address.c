#include "address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <net/route.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LINE_SIZE 512

/* The interface of a default route. */
struct exit_interface {
    char name[IF_NAMESIZE];
    uint32_t metric;
    bool found;
};

static bool leads_out(uint32_t flags)
{
    return flags != UINT32_MAX && (flags & RTF_UP) && !(flags & RTF_REJECT);
}

static void note_route(struct exit_interface *chosen, const char *name, uint32_t metric)
{
    if (!chosen->found || metric < chosen->metric) {
        *chosen = (struct exit_interface){.metric = metric, .found = true};
        snprintf(chosen->name, sizeof chosen->name, "%s", name);
    }
}

/* The words of a line, of which there are as many as that. */
static bool split(char *line, char **words, size_t count)
{
    char *rest = line;
    for (size_t i = 0; i < count; i++) {
        do {
            words[i] = strsep(&rest, " \t\n");
        } while (words[i] && *words[i] == '\0');
        if (!words[i]) {
            return false;
        }
    }
    return true;
}

/* No number is the greatest one. */
static uint32_t number(const char *word, int base)
{
    char *end;
    unsigned long value = strtoul(word, &end, base);
    return *end == '\0' && value <= UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

/* A line: interface, destination, gateway, flags, references, use, metric, mask; numbers are hex except for the three in the
 * middle.
 */
static void read_routes(FILE *file, struct exit_interface *chosen)
{
    enum { NAME, DESTINATION, FLAGS = 3, METRIC = 6, MASK, COUNT };
    char line[LINE_SIZE];
    char *words[COUNT];
    while (file && fgets(line, sizeof line, file)) {
        if (split(line, words, COUNT) && number(words[DESTINATION], 16) == 0 && number(words[MASK], 16) == 0 &&
            leads_out(number(words[FLAGS], 16))) {
            note_route(chosen, words[NAME], number(words[METRIC], 10));
        }
    }
}

/* A line: destination and its length, source and its length, next hop, metric, references, use, flags, interface; all in hex. */
static void read_routes6(FILE *file, struct exit_interface *chosen)
{
    enum { DESTINATION, LENGTH, METRIC = 5, FLAGS = 8, NAME, COUNT };
    char line[LINE_SIZE];
    char *words[COUNT];
    while (file && fgets(line, sizeof line, file)) {
        if (split(line, words, COUNT) && strspn(words[DESTINATION], "0") == 32 && number(words[LENGTH], 16) == 0 &&
            leads_out(number(words[FLAGS], 16)) && strcmp(words[NAME], "lo") != 0) {
            note_route(chosen, words[NAME], number(words[METRIC], 16));
        }
    }
}

static bool is_usable(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET) {
        uint32_t ip = ntohl(((const struct sockaddr_in *)(const void *)address)->sin_addr.s_addr);
        return ip != INADDR_ANY && ip >> 24 != IN_LOOPBACKNET && ip >> 16 != 0xA9FE && !IN_MULTICAST(ip);
    }
    const struct in6_addr *ip = &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
    return !IN6_IS_ADDR_UNSPECIFIED(ip) && !IN6_IS_ADDR_LOOPBACK(ip) && !IN6_IS_ADDR_LINKLOCAL(ip) && !IN6_IS_ADDR_MULTICAST(ip);
}

static void write_address(const struct sockaddr *address, struct node_address *text)
{
    char host[INET6_ADDRSTRLEN];
    if (address->sa_family == AF_INET) {
        inet_ntop(AF_INET, &((const struct sockaddr_in *)(const void *)address)->sin_addr, host, sizeof host);
        snprintf(text->text, sizeof text->text, "%s", host);
    } else {
        inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr, host, sizeof host);
        snprintf(text->text, sizeof text->text, "[%s]", host);
    }
}

static bool find_address(const struct ifaddrs *interfaces, const struct exit_interface *chosen, int family,
                         struct node_address *address)
{
    for (const struct ifaddrs *each = interfaces; chosen->found && each; each = each->ifa_next) {
        if (each->ifa_addr && each->ifa_addr->sa_family == family && strcmp(each->ifa_name, chosen->name) == 0 &&
            is_usable(each->ifa_addr)) {
            write_address(each->ifa_addr, address);
            return true;
        }
    }
    return false;
}

bool node_address_choose(const struct node_address_sources *sources, struct node_address *address)
{
    struct exit_interface chosen = {0}, chosen6 = {0};
    read_routes(sources->routes, &chosen);
    read_routes6(sources->routes6, &chosen6);
    return find_address(sources->interfaces, &chosen, AF_INET, address) ||
           find_address(sources->interfaces, &chosen6, AF_INET6, address);
}

static void close_file(FILE *file)
{
    if (file) {
        fclose(file);
    }
}

bool node_address_find(struct node_address *address, struct error *error)
{
    struct ifaddrs *interfaces = NULL;
    if (getifaddrs(&interfaces) != 0) {
        return error_set(error, STATUS_UNAVAILABLE, "the addresses of this node cannot be read: %s", strerror(errno));
    }
    struct node_address_sources sources = {
        .routes = fopen("/proc/self/net/route", "re"),
        .routes6 = fopen("/proc/self/net/ipv6_route", "re"),
        .interfaces = interfaces,
    };
    bool found = node_address_choose(&sources, address);
    close_file(sources.routes);
    close_file(sources.routes6);
    freeifaddrs(interfaces);
    return found || error_set(error, STATUS_UNAVAILABLE, "this node has no default route");
}
