// The library is linked statically.
#define UTF8PROC_STATIC
#include <utf8proc.h>
