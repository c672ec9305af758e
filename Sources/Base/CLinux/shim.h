#include <arpa/nameser.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <netdb.h>
#include <resolv.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

// pthread.h declares this only with _GNU_SOURCE.
int pthread_setname_np(unsigned long thread, const char *name);

// A macro in netdb.h, which Swift does not import.
static inline int resolver_error(void) { return h_errno; }
