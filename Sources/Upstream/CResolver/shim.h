#include <netdb.h>
#include <resolv.h>

// A macro in netdb.h, which Swift does not import.
static inline int resolver_error(void) { return h_errno; }
