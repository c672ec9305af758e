#include <netdb.h>
#include <resolv.h>

// A macro in netdb.h, which Swift does not import.
static inline int resolver_error(void) { return h_errno; }

// For this thread: with up to three name servers, an answer takes ten seconds at most. _res is a macro, too.
static inline void limit_resolver(void) {
    res_init();
    _res.retrans = 2;
    _res.retry = 2;
}
