/* Static programs resolve no names of hosts or services. C core's archive has code for that, which nothing here uses: all sockets
   are Unix sockets. The C library's functions would bring NSS along, which loads shared libraries of the system, whichever these
   are. */
#include <errno.h>
#include <netdb.h>
#include <stddef.h>
#include <sys/socket.h>

int getaddrinfo(const char *restrict node, const char *restrict service, const struct addrinfo *restrict hints,
                struct addrinfo **restrict result)
{
    (void)node, (void)service, (void)hints;
    *result = NULL;
    return EAI_FAIL;
}

void freeaddrinfo(struct addrinfo *addresses)
{
    (void)addresses;
}

struct servent *getservbyname(const char *name, const char *protocol)
{
    (void)name, (void)protocol;
    return NULL;
}

/* What a later c-ares calls instead, as that of Debian 13. */
int getservbyname_r(const char *restrict name, const char *restrict protocol, struct servent *restrict service,
                    char *restrict buffer, size_t size, struct servent **restrict result)
{
    (void)name, (void)protocol, (void)service, (void)buffer, (void)size;
    *result = NULL;
    return ENOENT;
}

int getservbyport_r(int port, const char *restrict protocol, struct servent *restrict service, char *restrict buffer, size_t size,
                    struct servent **restrict result)
{
    (void)port, (void)protocol, (void)service, (void)buffer, (void)size;
    *result = NULL;
    return ENOENT;
}

/* libevent's. */
struct protoent *getprotobynumber(int number)
{
    (void)number;
    return NULL;
}
