#ifndef USERD_CPICTURES_SHIM_H
#define USERD_CPICTURES_SHIM_H

#include <png.h>
#include <turbojpeg.h>

// Swift does not import macros that are made of other macros.

static inline png_uint_32 cpictures_png_rgba(void) { return PNG_FORMAT_RGBA; }

static inline png_uint_32 cpictures_png_version(void) { return PNG_IMAGE_VERSION; }

#endif
