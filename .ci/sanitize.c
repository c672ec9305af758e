// What every program is linked with that `make sanitize` builds: the options of its sanitizer, what it should not report, and
// what ThreadSanitizer is not told by Swift's libraries.

// Reports go into files: tests read what programs print. A program ends as it would without, and .ci/sanitize counts.
#define OPTIONS "log_path=" REPORTS ":exitcode=0:halt_on_error=0"

#ifdef THREAD

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

const char *__tsan_default_options(void) { return OPTIONS; }

const char *__tsan_default_suppressions(void) {
    // What a continuation is resumed with, where that comes before its task waits: the runtime orders both, and does not say so.
    // Two functions start a thread for that, which may be early. What their threads do is not looked at.
    return "race_top:withUnsafeThrowingContinuation\n"
           "race_top:withUnsafeContinuation\n"
           "race:14CommandSupport8answered\n"
           "race:11TestSupport8onThread\n"
           // NIO uses a buffer's memory again once a thread of ours has let go of it. Swift's reference count orders both.
           "race_top:reallocD0\n";
}

void __tsan_acquire(void *address);
void __tsan_release(void *address);

// Where threads wait for a Mutex, its code is in libswiftSynchronization, which is not instrumented: what one thread did before
// it let go of the lock would seem to race with what the next does. These stand before the library's functions and say so.
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self
#define NAME(name) __asm__("$s15Synchronization12_MutexHandleV" name)
#define LIBRARY(name) dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV" name)

SWIFT void lockSlow(uint32_t thread, SELF) NAME("9_lockSlowyys6UInt32VF");
SWIFT void lockSlow(uint32_t thread, SELF) {
    ((SWIFT void (*)(uint32_t, SELF))LIBRARY("9_lockSlowyys6UInt32VF"))(thread, self);
    __tsan_acquire(self);
}

SWIFT void unlockSlow(SELF) NAME("11_unlockSlowyyF");
SWIFT void unlockSlow(SELF) {
    __tsan_release(self);
    ((SWIFT void (*)(SELF))LIBRARY("11_unlockSlowyyF"))(self);
}

SWIFT _Bool tryLockSlow(SELF) NAME("12_tryLockSlowSbyF");
SWIFT _Bool tryLockSlow(SELF) {
    _Bool isLocked = ((SWIFT _Bool (*)(SELF))LIBRARY("12_tryLockSlowSbyF"))(self);
    if (isLocked) __tsan_acquire(self);
    return isLocked;
}

#else

const char *__asan_default_options(void) { return OPTIONS ":detect_leaks=0"; }
const char *__asan_default_suppressions(void) { return ""; }

#endif
