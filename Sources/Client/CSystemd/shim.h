#ifndef USERD_CSYSTEMD_SHIM_H
#define USERD_CSYSTEMD_SHIM_H

#include <dlfcn.h>
#include <systemd/sd-bus.h>

// What userctl uses of libsystemd, which is not linked: userctl opens it.
#define CSYSTEMD_FUNCTIONS(of) \
    of(sd_bus_add_object) of(sd_bus_call) of(sd_bus_error_free) of(sd_bus_error_set) of(sd_bus_flush_close_unref) \
    of(sd_bus_match_signal) of(sd_bus_message_append_basic) of(sd_bus_message_close_container) \
    of(sd_bus_message_enter_container) of(sd_bus_message_exit_container) of(sd_bus_message_get_interface) \
    of(sd_bus_message_get_member) of(sd_bus_message_get_sender) of(sd_bus_message_has_signature) \
    of(sd_bus_message_new_method_call) of(sd_bus_message_new_method_return) of(sd_bus_message_new_signal) \
    of(sd_bus_message_open_container) of(sd_bus_message_read_basic) of(sd_bus_message_read_strv) \
    of(sd_bus_message_ref) of(sd_bus_message_unref) of(sd_bus_new) of(sd_bus_process) of(sd_bus_release_name) \
    of(sd_bus_request_name) of(sd_bus_send) of(sd_bus_send_to) of(sd_bus_set_address) of(sd_bus_set_bus_client) \
    of(sd_bus_start) of(sd_bus_wait)

#define CSYSTEMD_MEMBER(name) __typeof__(name) *name;
struct csystemd { CSYSTEMD_FUNCTIONS(CSYSTEMD_MEMBER) };

// Whether the library has them all.
#define CSYSTEMD_FIND(name) && (found->name = (__typeof__(name) *)dlsym(library, #name))
static inline int csystemd_find(void *library, struct csystemd *found) { return 1 CSYSTEMD_FUNCTIONS(CSYSTEMD_FIND); }

#endif
