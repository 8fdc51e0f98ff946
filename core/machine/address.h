/* The address by which other nodes reach this one, as far as the node itself knows. */
#pragma once

#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/bytes/error.h"

/* "192.0.2.1" or "[2001:db8::1]", as hosts appear in URLs. */
struct node_address {
    char text[INET6_ADDRSTRLEN + 2];
};

/* Where it is found, in the form of the kernel's files; NULL for what does not exist. */
struct node_address_sources {
    FILE *routes;  /* /proc/net/route */
    FILE *routes6; /* /proc/net/ipv6_route */
    const struct ifaddrs *interfaces;
};

/* The first address that is not link-local of the interface that has the default route, of several IPv4 routes the one with the
 * lowest metric; without any, an IPv6 route. false without any. */
bool node_address_choose(const struct node_address_sources *sources, struct node_address *address);

/* The same of this process's network namespace. Asks the kernel only, so it does not wait. UNAVAILABLE with the reason. */
bool node_address_find(struct node_address *address, struct error *error);
