#ifndef USERD_CSQLITE_SHIM_H
#define USERD_CSQLITE_SHIM_H

#include <dlfcn.h>
#include <sqlite3.h>

// The functions that are called, without their prefix.
#define CSQLITE_FUNCTIONS(F) \
    F(bind_blob64) F(bind_double) F(bind_int64) F(bind_null) F(bind_parameter_count) F(bind_text) F(bind_text64) \
    F(bind_zeroblob) F(busy_handler) F(busy_timeout) F(changes64) F(clear_bindings) F(close_v2) F(column_blob) \
    F(column_bytes) F(column_double) F(column_int64) F(column_name) F(column_type) F(db_config) F(errmsg) F(errstr) \
    F(exec) F(finalize) F(interrupt) F(open_v2) F(prepare_v3) F(progress_handler) F(reset) F(sleep) F(sql) F(step)

typedef struct {
#define F(name) __typeof__(&sqlite3_##name) name;
    CSQLITE_FUNCTIONS(F)
#undef F
} csqlite_functions;

// Finds the functions in a library that dlopen(3) has given. Returns null, or the name of one that it lacks.
static inline const char *csqlite_find(csqlite_functions *functions, void *library) {
#define F(name) \
    functions->name = (__typeof__(&sqlite3_##name))dlsym(library, "sqlite3_" #name); \
    if (!functions->name) return "sqlite3_" #name;
    CSQLITE_FUNCTIONS(F)
#undef F
    return (const char *)0;
}

// What Swift cannot call or see: variadic functions, and macros that cast.

static inline int csqlite_db_config_int(csqlite_functions functions, sqlite3 *db, int option, int value) {
    return functions.db_config(db, option, value, (int *)0);
}

static inline sqlite3_destructor_type csqlite_transient(void) { return SQLITE_TRANSIENT; }

#endif
