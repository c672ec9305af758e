#ifndef USERD_CPICTURES_SHIM_H
#define USERD_CPICTURES_SHIM_H

#include <png.h>
#include <turbojpeg.h>

// What Swift does not see: macros that are made of others.

static inline png_uint_32 cpictures_png_rgba(void) { return PNG_FORMAT_RGBA; }

static inline png_uint_32 cpictures_png_version(void) { return PNG_IMAGE_VERSION; }

#endif
