#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <malloc.h>
#include <netdb.h>
#include <resolv.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

// sys/mman.h declares this only with _GNU_SOURCE.
int memfd_create(const char *name, unsigned flags);

// pthread.h declares this only with _GNU_SOURCE.
int pthread_setname_np(unsigned long thread, const char *name);

// A macro in netdb.h, which Swift does not import.
static inline int resolver_error(void) { return h_errno; }

// For this thread: with up to three name servers, an answer takes ten seconds at most. _res is a macro, too.
static inline void limit_resolver(void) {
    res_init();
    _res.retrans = 2;
    _res.retry = 2;
}
