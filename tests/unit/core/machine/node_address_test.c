/* Which address of a node others reach it by. */
#include <arpa/inet.h>
#include <string.h>

#include "core/machine/address.h"
#include "tests/cmocka.h"

#define HEADING "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
#define ROUTE(name, destination, flags, metric, mask)                                                                            \
    name "\t" destination "\t0100000A\t" flags "\t0\t0\t" metric "\t" mask "\t0\t0\t0\n"
#define ROUTE6(destination, length, flags, name)                                                                                 \
    destination " " length                                                                                                       \
                " 00000000000000000000000000000000 00 fe800000000000000000000000000001 00000400 00000001 00000000 " flags        \
                "     " name "\n"
#define ALL6 "00000000000000000000000000000000"

struct row {
    const char *routes, *routes6, *address; /* NULL: none */
};

union any_address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

/* The node's, in this order. */
static struct {
    const char *interface, *text;
} addresses[] = {
    {"lo", "127.0.0.1"}, {"lo", "::1"},           {"eth0", "169.254.3.4"}, {"eth0", "10.0.0.5"}, {"eth0", "10.0.0.6"},
    {"eth0", "fe80::5"}, {"eth0", "2001:db8::5"}, {"wan0", "192.0.2.9"},   {"six0", "fe80::6"},  {"six0", "2001:db8::6"},
};
#define ADDRESSES (sizeof addresses / sizeof addresses[0])

static void fill_in(struct ifaddrs *interfaces, union any_address *values)
{
    for (size_t i = 0; i < ADDRESSES; i++) {
        bool six = strchr(addresses[i].text, ':') != NULL;
        values[i].any.sa_family = six ? AF_INET6 : AF_INET;
        void *at = six ? (void *)&values[i].v6.sin6_addr : (void *)&values[i].v4.sin_addr;
        assert_int_equal(inet_pton(values[i].any.sa_family, addresses[i].text, at), 1);
        interfaces[i] = (struct ifaddrs){.ifa_name = (char *)(uintptr_t)addresses[i].interface,
                                         .ifa_addr = &values[i].any,
                                         .ifa_next = i + 1 < ADDRESSES ? &interfaces[i + 1] : NULL};
    }
    interfaces[0].ifa_addr = NULL; /* as of interfaces without an address */
}

static FILE *file_of(const char *text)
{
    return text && *text ? fmemopen((void *)(uintptr_t)text, strlen(text), "r") : NULL;
}

static void check(const struct row *rows, size_t count)
{
    struct ifaddrs interfaces[ADDRESSES];
    union any_address values[ADDRESSES];
    memset(values, 0, sizeof values);
    fill_in(interfaces, values);
    for (size_t i = 0; i < count; i++) {
        struct node_address_sources sources = {file_of(rows[i].routes), file_of(rows[i].routes6), interfaces};
        struct node_address address = {""};
        assert_int_equal(node_address_choose(&sources, &address), rows[i].address != NULL);
        assert_string_equal(address.text, rows[i].address ? rows[i].address : "");
        if (sources.routes) {
            fclose(sources.routes);
        }
        if (sources.routes6) {
            fclose(sources.routes6);
        }
    }
}

TEST(it_is_that_of_the_default_route)
{
    static const struct row rows[] = {
        {HEADING ROUTE("wan0", "0000000A", "0001", "0", "00FFFFFF") ROUTE("eth0", "00000000", "0003", "100", "00000000"), NULL,
         "10.0.0.5"},
        {HEADING ROUTE("eth0", "00000000", "0003", "100", "00000000") ROUTE("wan0", "00000000", "0003", "50", "00000000"), NULL,
         "192.0.2.9"},
        {HEADING ROUTE("wan0", "00000000", "0003", "50", "00000000") ROUTE("eth0", "00000000", "0003", "100", "00000000"), NULL,
         "192.0.2.9"},
        /* Half of all, one that is down, and one that rejects. */
        {HEADING ROUTE("wan0", "00000000", "0003", "0", "00000080") ROUTE("wan0", "00000000", "0002", "0", "00000000")
             ROUTE("wan0", "00000000", "0203", "0", "00000000") ROUTE("eth0", "00000000", "0003", "9", "00000000"),
         NULL, "10.0.0.5"},
    };
    check(rows, sizeof rows / sizeof rows[0]);
}

TEST(where_ipv4_leads_nowhere_it_is_one_of_ipv6)
{
    static const struct row rows[] = {
        {HEADING, ROUTE6(ALL6, "00", "00000003", "six0") ROUTE6(ALL6, "00", "00200200", "lo"), "[2001:db8::6]"},
        {NULL, ROUTE6("20010db8000000000000000000000000", "40", "00000001", "eth0") ROUTE6(ALL6, "00", "00000003", "six0"),
         "[2001:db8::6]"},
        {HEADING ROUTE("six0", "00000000", "0003", "0", "00000000"), ROUTE6(ALL6, "00", "00000003", "six0"), "[2001:db8::6]"},
        {HEADING ROUTE("eth0", "00000000", "0003", "0", "00000000"), ROUTE6(ALL6, "00", "00000003", "six0"), "10.0.0.5"},
    };
    check(rows, sizeof rows / sizeof rows[0]);
}

TEST(there_may_be_none)
{
    static const struct row rows[] = {
        {NULL, NULL, NULL},
        {HEADING, "", NULL},
        {HEADING ROUTE("gone0", "00000000", "0003", "0", "00000000"), NULL, NULL},
        {NULL, ROUTE6(ALL6, "00", "00200200", "lo"), NULL},
        {"eth0", "0", NULL},
        {"eth0 0 0 0", ALL6 " 00", NULL},
        {"a name that is much longer than that of any interface 00000000 0 3 0 0 0 00000000\n", NULL, NULL},
    };
    check(rows, sizeof rows / sizeof rows[0]);
}
