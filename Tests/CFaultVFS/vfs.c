#include "disk.h"
#include "faultvfs.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

struct FaultVFS {
    sqlite3_vfs base;
    sqlite3_vfs *real;
    Disk disk;
    FaultKind kind;
    int at;
    bool has_struck, is_full, is_frozen, has_ended;
    int open, count, capacity;
    uint8_t *calls;
};

typedef struct {
    sqlite3_file base;
    FaultVFS *vfs;
    // NULL for a temporary file.
    DiskFile *disk;
    // A new log, with whose first sync SQLite also syncs the directory.
    bool is_new_log;
    sqlite3_file *real;
} File;

static File *file_of(sqlite3_file *file) { return (File *)file; }

// Decides which fault hits a call.
static FaultKind verdict(FaultVFS *vfs, FaultCall call) {
    if (vfs->count == vfs->capacity) {
        vfs->capacity = vfs->capacity ? 2 * vfs->capacity : 512;
        vfs->calls = realloc(vfs->calls, (size_t)vfs->capacity);
    }
    vfs->calls[vfs->count++] = (uint8_t)call;
    if (vfs->is_full) return FAULT_FULL;
    if (vfs->has_struck || vfs->count != vfs->at) return FAULT_NONE;
    vfs->has_struck = true;
    vfs->is_full = vfs->kind == FAULT_FULL;
    vfs->is_frozen = vfs->kind == FAULT_KILL || vfs->kind == FAULT_POWER;
    return vfs->kind;
}

static void release(FaultVFS *vfs) {
    if (!vfs->has_ended || vfs->open > 0) return;
    free((char *)vfs->base.zName);
    free(vfs);
}

static int file_close(sqlite3_file *f) {
    FaultVFS *vfs = file_of(f)->vfs;
    int code = file_of(f)->real->pMethods->xClose(file_of(f)->real);
    vfs->open -= 1;
    release(vfs);
    return code;
}

static int file_read(sqlite3_file *f, void *bytes, int count, sqlite3_int64 offset) {
    File *file = file_of(f);
    if (file->vfs->is_frozen) return SQLITE_IOERR_READ;
    switch (verdict(file->vfs, CALL_READ)) {
    case FAULT_KILL: case FAULT_POWER: case FAULT_ERROR: return SQLITE_IOERR_READ;
    default: return file->real->pMethods->xRead(file->real, bytes, count, offset);
    }
}

static int put(File *file, const void *bytes, int count, sqlite3_int64 offset) {
    if (count == 0) return SQLITE_OK;
    int code = file->real->pMethods->xWrite(file->real, bytes, count, offset);
    if (code == SQLITE_OK && file->disk) disk_write(file->disk, bytes, (size_t)count, offset);
    return code;
}

static bool grows(File *file, sqlite3_int64 size) {
    sqlite3_int64 now = 0;
    return file->real->pMethods->xFileSize(file->real, &now) != SQLITE_OK || size > now;
}

static int file_write(sqlite3_file *f, const void *bytes, int count, sqlite3_int64 offset) {
    File *file = file_of(f);
    FaultVFS *vfs = file->vfs;
    if (vfs->is_frozen) return SQLITE_IOERR_WRITE;
    FaultKind kind = verdict(vfs, CALL_WRITE);
    if (kind == FAULT_NONE || kind == FAULT_SYNC) return put(file, bytes, count, offset);
    if (kind == FAULT_FULL && !grows(file, offset + count)) return put(file, bytes, count, offset);
    if (kind == FAULT_ERROR) return SQLITE_IOERR_WRITE;
    // A power cut: all bytes were on their way to the disk.
    int part = kind == FAULT_POWER ? count : (int)(disk_draw(&vfs->disk) % (uint64_t)(count + 1));
    put(file, bytes, part, offset);
    return kind == FAULT_KILL || kind == FAULT_POWER ? SQLITE_IOERR_WRITE : SQLITE_FULL;
}

static int file_truncate(sqlite3_file *f, sqlite3_int64 size) {
    File *file = file_of(f);
    if (file->vfs->is_frozen) return SQLITE_IOERR_TRUNCATE;
    FaultKind kind = verdict(file->vfs, CALL_TRUNCATE);
    if (kind == FAULT_KILL || kind == FAULT_ERROR) return SQLITE_IOERR_TRUNCATE;
    int code = file->real->pMethods->xTruncate(file->real, size);
    if (code == SQLITE_OK && file->disk) disk_cut(file->disk, size);
    return kind == FAULT_POWER ? SQLITE_IOERR_TRUNCATE : code;
}

// Does not sync the real file: power cuts are simulated, and syncing is slow.
static int file_sync(sqlite3_file *f, int flags) {
    File *file = file_of(f);
    (void)flags;
    if (file->vfs->is_frozen) return SQLITE_IOERR_FSYNC;
    switch (verdict(file->vfs, CALL_SYNC)) {
    case FAULT_KILL: case FAULT_POWER: return SQLITE_IOERR_FSYNC;
    case FAULT_SYNC: case FAULT_ERROR:
        if (file->disk) disk_lose(&file->vfs->disk, file->disk);
        return SQLITE_IOERR_FSYNC;
    default:
        if (file->disk) disk_sync(file->disk);
        if (file->is_new_log) disk_sync_directory(&file->vfs->disk);
        file->is_new_log = false;
        return SQLITE_OK;
    }
}

static int file_size(sqlite3_file *f, sqlite3_int64 *size) {
    return file_of(f)->real->pMethods->xFileSize(file_of(f)->real, size);
}

static int file_lock(sqlite3_file *f, int level) {
    if (file_of(f)->vfs->is_frozen) return SQLITE_IOERR_LOCK;
    return file_of(f)->real->pMethods->xLock(file_of(f)->real, level);
}

static int file_unlock(sqlite3_file *f, int level) {
    return file_of(f)->real->pMethods->xUnlock(file_of(f)->real, level);
}

static int file_check_lock(sqlite3_file *f, int *result) {
    return file_of(f)->real->pMethods->xCheckReservedLock(file_of(f)->real, result);
}

static int file_control(sqlite3_file *f, int operation, void *argument) {
    return file_of(f)->real->pMethods->xFileControl(file_of(f)->real, operation, argument);
}

static int file_sector_size(sqlite3_file *f) {
    return file_of(f)->real->pMethods->xSectorSize(file_of(f)->real);
}

static int file_characteristics(sqlite3_file *f) {
    return file_of(f)->real->pMethods->xDeviceCharacteristics(file_of(f)->real);
}

static int file_map(sqlite3_file *f, int page, int size, int extend, void volatile **address) {
    File *file = file_of(f);
    if (file->vfs->is_frozen) return SQLITE_IOERR_SHMMAP;
    switch (verdict(file->vfs, CALL_MAP)) {
    case FAULT_KILL: case FAULT_POWER: case FAULT_ERROR: return SQLITE_IOERR_SHMMAP;
    case FAULT_FULL: if (extend) return SQLITE_IOERR_SHMSIZE;
    default: return file->real->pMethods->xShmMap(file->real, page, size, extend, address);
    }
}

static int file_lock_map(sqlite3_file *f, int offset, int count, int flags) {
    if (file_of(f)->vfs->is_frozen && flags & SQLITE_SHM_LOCK) return SQLITE_IOERR_SHMLOCK;
    return file_of(f)->real->pMethods->xShmLock(file_of(f)->real, offset, count, flags);
}

static void file_barrier(sqlite3_file *f) { file_of(f)->real->pMethods->xShmBarrier(file_of(f)->real); }

static int file_unmap(sqlite3_file *f, int delete) {
    return file_of(f)->real->pMethods->xShmUnmap(file_of(f)->real, delete);
}

static const sqlite3_io_methods methods = {
    2, file_close, file_read, file_write, file_truncate, file_sync, file_size, file_lock, file_unlock,
    file_check_lock, file_control, file_sector_size, file_characteristics, file_map, file_lock_map,
    file_barrier, file_unmap, NULL, NULL,
};

static int vfs_open(sqlite3_vfs *v, sqlite3_filename path, sqlite3_file *f, int flags, int *out) {
    FaultVFS *vfs = (FaultVFS *)v;
    File *file = file_of(f);
    *file = (File){.vfs = vfs, .real = (sqlite3_file *)(file + 1)};
    if (vfs->is_frozen) return SQLITE_CANTOPEN;
    FaultKind kind = verdict(vfs, CALL_OPEN);
    if (kind == FAULT_KILL || kind == FAULT_POWER || kind == FAULT_ERROR) return SQLITE_CANTOPEN;
    if (path) {
        int exists = 1;
        vfs->real->xAccess(vfs->real, path, SQLITE_ACCESS_EXISTS, &exists);
        if (kind == FAULT_FULL && !exists) return SQLITE_CANTOPEN;
        file->disk = disk_open(&vfs->disk, path);
        file->is_new_log = !exists && flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL);
    }
    int code = vfs->real->xOpen(vfs->real, path, file->real, flags, out);
    if (code != SQLITE_OK) return code;
    file->base.pMethods = &methods;
    vfs->open += 1;
    return SQLITE_OK;
}

// A deletion reaches the disk with the next sync of the directory; until then a power cut may undo it.
static int vfs_delete(sqlite3_vfs *v, const char *path, int sync) {
    FaultVFS *vfs = (FaultVFS *)v;
    if (vfs->is_frozen) return SQLITE_IOERR_DELETE;
    FaultKind kind = verdict(vfs, CALL_DELETE);
    if (kind == FAULT_KILL || kind == FAULT_ERROR) return SQLITE_IOERR_DELETE;
    int code = vfs->real->xDelete(vfs->real, path, 0);
    DiskFile *file = disk_find(&vfs->disk, path);
    if (code == SQLITE_OK && file) {
        disk_cut(file, 0);
        file->is_gone = true;
        if (sync && kind != FAULT_POWER) disk_sync(file);
    }
    return kind == FAULT_POWER ? SQLITE_IOERR_DELETE : code;
}

static int vfs_access(sqlite3_vfs *v, const char *path, int flags, int *result) {
    FaultVFS *vfs = (FaultVFS *)v;
    if (vfs->is_frozen) return SQLITE_IOERR_ACCESS;
    return vfs->real->xAccess(vfs->real, path, flags, result);
}

static int vfs_full_path(sqlite3_vfs *v, const char *path, int size, char *result) {
    FaultVFS *vfs = (FaultVFS *)v;
    return vfs->real->xFullPathname(vfs->real, path, size, result);
}

FaultVFS *faultvfs_new(const char *name) {
    FaultVFS *vfs = calloc(1, sizeof *vfs);
    vfs->real = sqlite3_vfs_find("unix");
    // The other functions of the unix VFS ignore their first argument.
    vfs->base = *vfs->real;
    vfs->base.zName = strdup(name);
    vfs->base.pNext = NULL;
    vfs->base.szOsFile = (int)sizeof(File) + vfs->real->szOsFile;
    vfs->base.xOpen = vfs_open;
    vfs->base.xDelete = vfs_delete;
    vfs->base.xAccess = vfs_access;
    vfs->base.xFullPathname = vfs_full_path;
    sqlite3_vfs_register(&vfs->base, 0);
    return vfs;
}

void faultvfs_end(FaultVFS *vfs) {
    sqlite3_vfs_unregister(&vfs->base);
    disk_free(&vfs->disk);
    free(vfs->calls);
    vfs->is_frozen = vfs->has_ended = true;
    release(vfs);
}

void faultvfs_arm(FaultVFS *vfs, FaultKind kind, int at, uint64_t seed) {
    vfs->kind = kind;
    vfs->at = at;
    vfs->disk.random = seed;
}

bool faultvfs_is_frozen(const FaultVFS *vfs) { return vfs->is_frozen; }
bool faultvfs_has_struck(const FaultVFS *vfs) { return vfs->has_struck; }
void faultvfs_mend(FaultVFS *vfs) { vfs->is_full = false; }
int faultvfs_count(const FaultVFS *vfs) { return vfs->count; }
FaultCall faultvfs_call(const FaultVFS *vfs, int number) { return (FaultCall)vfs->calls[number - 1]; }

uint8_t *faultvfs_after_power_cut(FaultVFS *vfs, const char *path, size_t *size) {
    DiskFile *file = disk_find(&vfs->disk, path);
    return file ? disk_after_power_cut(&vfs->disk, file, size) : NULL;
}
