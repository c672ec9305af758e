#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/eventfd.h>
#include <sys/statfs.h>
#include <sys/timerfd.h>

// sys/pidfd.h declares it (pidfd_open(2), glibc 2.36), and includes fcntl.h, whose struct stat would then be of this
// module and no longer of Glibc's.
int pidfd_open(int process, unsigned int flags);

// pthread.h declares it for GNU's programs.
int pthread_setname_np(unsigned long thread, const char *name);
