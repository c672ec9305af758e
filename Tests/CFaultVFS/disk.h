#ifndef FAULTVFS_DISK_H
#define FAULTVFS_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Simulates a disk: the parts of each file that are on the disk, and those only in the page cache.

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
    // Deleted, perhaps not yet in the directory on the disk.
    bool is_gone;
    struct DiskFile *next;
} DiskFile;

typedef struct {
    DiskFile *files;
    uint64_t random;
} Disk;

DiskFile *disk_find(Disk *disk, const char *path);
// Opens the file at the path. Its content so far counts as synced.
DiskFile *disk_open(Disk *disk, const char *path);
void disk_write(DiskFile *file, const void *bytes, size_t length, int64_t offset);
void disk_cut(DiskFile *file, int64_t size);
void disk_sync(DiskFile *file);
// Makes deletions permanent.
void disk_sync_directory(Disk *disk);
// Fails a sync: each write reaches the disk or is lost.
void disk_lose(Disk *disk, DiskFile *file);
uint8_t *disk_after_power_cut(Disk *disk, DiskFile *file, size_t *size);
uint64_t disk_draw(Disk *disk);
void disk_free(Disk *disk);

#endif
