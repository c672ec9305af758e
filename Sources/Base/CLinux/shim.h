#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

// sys/mman.h declares this only with _GNU_SOURCE.
int memfd_create(const char *name, unsigned flags);

// pthread.h declares this only with _GNU_SOURCE.
int pthread_setname_np(unsigned long thread, const char *name);
