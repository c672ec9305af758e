#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

// pthread.h declares it for GNU's programs.
int pthread_setname_np(unsigned long thread, const char *name);
