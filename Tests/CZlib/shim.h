#ifndef USERD_CZLIB_SHIM_H
#define USERD_CZLIB_SHIM_H

#include <zlib.h>

// What Swift does not see: a macro with arguments.
static inline int czlib_begin(z_stream *stream, int window_bits) {
    return deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
}

#endif
