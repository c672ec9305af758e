#ifndef USERD_CLDAP_SHIM_H
#define USERD_CLDAP_SHIM_H

#include <dlfcn.h>
#include <lber.h>
#include <ldap.h>
#include <openldap.h>
#include <time.h>

// What Swift cannot see: macros that cast.

enum {
    cldap_entry = LDAP_RES_SEARCH_ENTRY,
    cldap_reference = LDAP_RES_SEARCH_REFERENCE,
    cldap_result = LDAP_RES_SEARCH_RESULT,
    cldap_base = LDAP_SCOPE_BASE,
    cldap_one = LDAP_SCOPE_ONELEVEL,
    cldap_sub = LDAP_SCOPE_SUBTREE,
};

static inline int cldap_follow_no_referrals(LDAP *ld) {
    return ldap_set_option(ld, LDAP_OPT_REFERRALS, LDAP_OPT_OFF);
}

enum {
    cldap_certificate_expired = 1,
    cldap_certificate_early = 2,
    cldap_certificate_misnamed = 4,
};

// What is wrong with the certificate of a connection, by its own fields; -1 where it can't be read. With GnuTLS, libldap says
// of one that it refuses only that it does; with other libraries it says why, and these functions are not there.
static inline int cldap_certificate_faults(LDAP *ld, const char *host, time_t now) {
    struct { unsigned char *data; unsigned size; } der;
    struct berval found = {0, 0};
    void *certificate = 0;
    int (*init)(void **) = (int (*)(void **))dlsym((void *)0, "gnutls_x509_crt_init");
    void (*deinit)(void *) = (void (*)(void *))dlsym((void *)0, "gnutls_x509_crt_deinit");
    int (*import)(void *, void *, int) = (int (*)(void *, void *, int))dlsym((void *)0, "gnutls_x509_crt_import");
    time_t (*end)(void *) = (time_t (*)(void *))dlsym((void *)0, "gnutls_x509_crt_get_expiration_time");
    time_t (*begin)(void *) = (time_t (*)(void *))dlsym((void *)0, "gnutls_x509_crt_get_activation_time");
    unsigned (*fits)(void *, const char *) =
        (unsigned (*)(void *, const char *))dlsym((void *)0, "gnutls_x509_crt_check_hostname");
    int faults = -1;
    if (!init || !deinit || !import || !end || !begin || !fits) return -1;
    if (ldap_get_option(ld, LDAP_OPT_X_TLS_PEERCERT, &found) != 0 || !found.bv_val) return -1;
    der.data = (unsigned char *)found.bv_val;
    der.size = (unsigned)found.bv_len;
    if (init(&certificate) == 0) {
        if (import(certificate, &der, 0) == 0)
            faults = (end(certificate) < now ? cldap_certificate_expired : 0)
                | (now < begin(certificate) ? cldap_certificate_early : 0)
                | (fits(certificate, host) ? 0 : cldap_certificate_misnamed);
        deinit(certificate);
    }
    ber_memfree(found.bv_val);
    return faults;
}

#endif
