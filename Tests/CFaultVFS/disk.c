#include "disk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECTOR = 512 };

typedef struct {
    uint8_t *bytes;
    size_t size;
} Content;

uint64_t disk_draw(Disk *disk) {
    uint64_t mixed = disk->random += 0x9E3779B97F4A7C15;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
    return mixed ^ (mixed >> 31);
}

static void resize(Content *content, size_t size) {
    content->bytes = realloc(content->bytes, size + 1);
    if (size > content->size) memset(content->bytes + content->size, 0, size - content->size);
    content->size = size;
}

static void put(Content *content, const Write *write, size_t from, size_t to) {
    size_t start = (size_t)write->offset + from;
    if (content->size < start + (to - from)) resize(content, start + (to - from));
    memcpy(content->bytes + start, write->bytes + from, to - from);
}

static void apply(Content *content, const Write *write) {
    if (!write->bytes) resize(content, (size_t)write->offset);
    else put(content, write, 0, write->length);
}

// The sectors of a write reach the disk in any order, each as a whole.
static void tear(Disk *disk, Content *content, const Write *write) {
    for (size_t from = 0; from < write->length;) {
        size_t to = from + SECTOR - (size_t)(write->offset + (int64_t)from) % SECTOR;
        if (to > write->length) to = write->length;
        if (disk_draw(disk) % 2) put(content, write, from, to);
        from = to;
    }
}

DiskFile *disk_find(Disk *disk, const char *path) {
    for (DiskFile *file = disk->files; file; file = file->next) {
        if (strcmp(file->path, path) == 0) return file;
    }
    return NULL;
}

DiskFile *disk_open(Disk *disk, const char *path) {
    DiskFile *file = disk_find(disk, path);
    if (file) {
        file->is_gone = false;
        return file;
    }
    file = calloc(1, sizeof *file);
    file->path = strdup(path);
    file->last = &file->writes;
    file->next = disk->files;
    disk->files = file;
    Content content = {malloc(1), 0};
    FILE *stream = fopen(path, "rb");
    if (stream) {
        fseek(stream, 0, SEEK_END);
        resize(&content, (size_t)ftell(stream));
        rewind(stream);
        content.size = fread(content.bytes, 1, content.size, stream);
        fclose(stream);
    }
    file->synced = content.bytes;
    file->size = content.size;
    return file;
}

static void add(DiskFile *file, int64_t offset, size_t length, uint8_t *bytes) {
    Write *write = malloc(sizeof *write);
    *write = (Write){offset, length, bytes, NULL};
    *file->last = write;
    file->last = &write->next;
}

void disk_write(DiskFile *file, const void *bytes, size_t length, int64_t offset) {
    uint8_t *copy = malloc(length + 1);
    memcpy(copy, bytes, length);
    add(file, offset, length, copy);
}

void disk_cut(DiskFile *file, int64_t size) { add(file, size, 0, NULL); }

static void forget(DiskFile *file) {
    for (Write *write = file->writes, *next; write; write = next) {
        next = write->next;
        free(write->bytes);
        free(write);
    }
    file->writes = NULL;
    file->last = &file->writes;
}

void disk_sync(DiskFile *file) {
    Content content = {file->synced, file->size};
    for (Write *write = file->writes; write; write = write->next) apply(&content, write);
    file->synced = content.bytes;
    file->size = content.size;
    forget(file);
}

void disk_sync_directory(Disk *disk) {
    for (DiskFile *file = disk->files; file; file = file->next) {
        if (file->is_gone) disk_sync(file);
    }
}

void disk_lose(Disk *disk, DiskFile *file) {
    Content content = {file->synced, file->size};
    for (Write *write = file->writes; write; write = write->next) {
        if (disk_draw(disk) % 2) apply(&content, write);
    }
    file->synced = content.bytes;
    file->size = content.size;
    forget(file);
}

uint8_t *disk_after_power_cut(Disk *disk, DiskFile *file, size_t *size) {
    Content content = {malloc(file->size + 1), file->size};
    memcpy(content.bytes, file->synced, file->size);
    for (Write *write = file->writes; write; write = write->next) {
        switch (disk_draw(disk) % 3) {
        case 0: break;
        case 1: apply(&content, write); break;
        default: if (write->bytes) tear(disk, &content, write);
        }
    }
    *size = content.size;
    return content.bytes;
}

void disk_free(Disk *disk) {
    for (DiskFile *file = disk->files, *next; file; file = next) {
        next = file->next;
        forget(file);
        free(file->synced);
        free(file->path);
        free(file);
    }
    disk->files = NULL;
}
