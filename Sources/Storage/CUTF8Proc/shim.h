// The functions are not to be imported from a shared library.
#define UTF8PROC_STATIC
#include <utf8proc.h>
