#ifndef FAULTVFS_DISK_H
#define FAULTVFS_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What of each file is on the disk, and what is only in the page cache.

typedef struct Write {
    int64_t offset;
    size_t length;
    // NULL: the file is cut or extended to `offset`.
    uint8_t *bytes;
    struct Write *next;
} Write;

typedef struct DiskFile {
    char *path;
    uint8_t *synced;
    size_t size;
    Write *writes, **last;
    // Removed, which its directory may not know yet.
    bool is_gone;
    struct DiskFile *next;
} DiskFile;

typedef struct {
    DiskFile *files;
    uint64_t random;
} Disk;

DiskFile *disk_find(Disk *disk, const char *path);
// The file at its path; as it is found, it is synced.
DiskFile *disk_open(Disk *disk, const char *path);
void disk_write(DiskFile *file, const void *bytes, size_t length, int64_t offset);
void disk_cut(DiskFile *file, int64_t size);
void disk_sync(DiskFile *file);
// Files that are gone stay so.
void disk_sync_directory(Disk *disk);
// A sync that fails: each write is on the disk or lost.
void disk_lose(Disk *disk, DiskFile *file);
uint8_t *disk_after_power_cut(Disk *disk, DiskFile *file, size_t *size);
uint64_t disk_draw(Disk *disk);
void disk_free(Disk *disk);

#endif
