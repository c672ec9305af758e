#ifndef FAULTVFS_H
#define FAULTVFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A layer over SQLite's unix VFS that injects a fault into one call of a run. One thread at a time.

typedef enum {
    FAULT_NONE,
    // The process ends: a write is done partly, and nothing after it.
    FAULT_KILL,
    // The power fails: see faultvfs_after_power_cut.
    FAULT_POWER,
    // The call fails and does nothing.
    FAULT_ERROR,
    // From this call on, no file can grow until faultvfs_mend.
    FAULT_FULL,
    // A write is done partly.
    FAULT_SHORT,
    // A sync fails and loses some writes, which later syncs do not restore.
    FAULT_SYNC,
} FaultKind;

typedef enum {
    CALL_OPEN,
    CALL_READ,
    CALL_WRITE,
    CALL_TRUNCATE,
    CALL_SYNC,
    CALL_DELETE,
    // Mapping of the -shm file.
    CALL_MAP,
} FaultCall;

typedef struct FaultVFS FaultVFS;

// Registers a VFS with this name.
FaultVFS *faultvfs_new(const char *name);
// Makes all further calls fail. Closing the last file frees the VFS.
void faultvfs_end(FaultVFS *vfs);

// Makes the call number `at`, counted from 1, fail; `seed` decides what is lost.
void faultvfs_arm(FaultVFS *vfs, FaultKind kind, int at, uint64_t seed);
// Whether the process was killed or the power has failed.
bool faultvfs_is_frozen(const FaultVFS *vfs);
bool faultvfs_has_struck(const FaultVFS *vfs);
void faultvfs_mend(FaultVFS *vfs);

int faultvfs_count(const FaultVFS *vfs);
FaultCall faultvfs_call(const FaultVFS *vfs, int number);

// Returns a file after a power cut: its synced content, and some sectors of 512 bytes written since. The
// caller frees it; NULL for a file that was not written.
uint8_t *faultvfs_after_power_cut(FaultVFS *vfs, const char *path, size_t *size);

#endif
