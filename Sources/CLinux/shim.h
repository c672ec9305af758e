#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <sys/pidfd.h>
#include <sys/vfs.h>
