#ifndef USERD_CSQLITE_SHIM_H
#define USERD_CSQLITE_SHIM_H

#include <sqlite3.h>

// Wraps what Swift can't import: variadic functions, and macros that cast.

static inline int csqlite_db_config_int(sqlite3 *db, int option, int value) {
    return sqlite3_db_config(db, option, value, (int *)0);
}

static inline int csqlite_config_int(int option, int value) {
    return sqlite3_config(option, value);
}

static inline sqlite3_destructor_type csqlite_transient(void) { return SQLITE_TRANSIENT; }

#endif
