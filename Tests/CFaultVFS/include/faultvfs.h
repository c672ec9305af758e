#ifndef FAULTVFS_H
#define FAULTVFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A layer over SQLite's unix VFS, in which one call of a run goes wrong. One thread at a time.

typedef enum {
    FAULT_NONE,
    // The process ends: a write is done in part, and nothing after it.
    FAULT_KILL,
    // The power goes: see faultvfs_after_power_cut.
    FAULT_POWER,
    // The call fails, and does nothing.
    FAULT_ERROR,
    // From this call on no file grows, until faultvfs_mend.
    FAULT_FULL,
    // A write is done in part.
    FAULT_SHORT,
    // Of what was to be synced, parts are lost: later syncs do not bring them back.
    FAULT_SYNC,
} FaultKind;

typedef enum {
    CALL_OPEN,
    CALL_READ,
    CALL_WRITE,
    CALL_TRUNCATE,
    CALL_SYNC,
    CALL_DELETE,
    // Of the -shm file.
    CALL_MAP,
} FaultCall;

typedef struct FaultVFS FaultVFS;

// Registers a VFS of this name.
FaultVFS *faultvfs_new(const char *name);
// From now on all calls fail; the last file that is closed frees it.
void faultvfs_end(FaultVFS *vfs);

// The call numbered `at`, from 1, goes wrong; `seed` decides what is lost.
void faultvfs_arm(FaultVFS *vfs, FaultKind kind, int at, uint64_t seed);
// After a kill or a power cut.
bool faultvfs_is_frozen(const FaultVFS *vfs);
bool faultvfs_has_struck(const FaultVFS *vfs);
void faultvfs_mend(FaultVFS *vfs);

int faultvfs_count(const FaultVFS *vfs);
FaultCall faultvfs_call(const FaultVFS *vfs, int number);

// What a power cut leaves of a file: what was synced, and of what was written since, some sectors of 512 bytes. The
// caller frees it; NULL for a file that was not written.
uint8_t *faultvfs_after_power_cut(FaultVFS *vfs, const char *path, size_t *size);

#endif
