// Linked into every program that `make sanitize` builds: the sanitizer's options, reports to suppress, and synchronization in
// Swift's libraries that ThreadSanitizer can't see.

// Reports go into files, since tests read the programs' output. Exit codes stay the same; .ci/sanitize counts the reports.
#define OPTIONS "log_path=" REPORTS ":exitcode=0:halt_on_error=0"

#ifdef THREAD

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

const char *__tsan_default_options(void) { return OPTIONS; }

const char *__tsan_default_suppressions(void) {
    // A continuation may be resumed before its task waits; the runtime orders both without telling ThreadSanitizer. Two
    // functions start a thread that may resume early, and are suppressed as a whole.
    return "race_top:withUnsafeThrowingContinuation\n"
           "race_top:withUnsafeContinuation\n"
           "race:15UserctlCommands8answered\n"
           "race:11TestSupport8onThread\n"
           // NIO reuses a buffer's memory once our thread has released it. Swift's reference count orders both.
           "race_top:reallocD0\n";
}

void __tsan_acquire(void *address);
void __tsan_release(void *address);

// A contended Mutex runs code of libswiftSynchronization, which is not instrumented, so accesses under the lock would seem to
// race. These functions wrap the library's and tell ThreadSanitizer.
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
