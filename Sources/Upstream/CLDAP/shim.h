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

// What userd uses of libldap and liblber, which are not linked: userd opens them.
#define CLDAP_FUNCTIONS(of) \
    of(ber_free) of(ber_memfree) of(ber_sockbuf_ctrl) of(ldap_abandon_ext) of(ldap_control_find) of(ldap_control_free) \
    of(ldap_controls_free) of(ldap_create_page_control) of(ldap_err2string) of(ldap_get_attribute_ber) \
    of(ldap_get_dn_ber) of(ldap_get_option) of(ldap_init_fd) of(ldap_install_tls) of(ldap_memfree) of(ldap_memvfree) \
    of(ldap_msgfree) of(ldap_msgid) of(ldap_msgtype) of(ldap_parse_pageresponse_control) of(ldap_parse_reference) \
    of(ldap_parse_result) of(ldap_result) of(ldap_sasl_bind) of(ldap_sasl_interactive_bind_s) of(ldap_search_ext) \
    of(ldap_set_option) \
    of(ldap_start_tls_s) of(ldap_unbind_ext)

#define CLDAP_MEMBER(name) __typeof__(name) *name;
struct cldap { CLDAP_FUNCTIONS(CLDAP_MEMBER) };

// Whether the library has them all.
#define CLDAP_FIND(name) && (found->name = (__typeof__(name) *)dlsym(library, #name))
static inline int cldap_find(void *library, struct cldap *found) { return 1 CLDAP_FUNCTIONS(CLDAP_FIND); }

// As in sasl.h, of a package of its own.
struct cldap_question {
    unsigned long id;
    const char *challenge, *prompt, *usual;
    const void *answer;
    unsigned length;
};

// Answers libsasl's questions as usual, or with nothing: a ticket says who somebody is.
static inline int cldap_interact(LDAP *handle, unsigned flags, void *context, void *questions) {
    struct cldap_question *question = (struct cldap_question *)questions;
    (void)handle, (void)flags, (void)context;
    for (; question->id; question++) {
        question->answer = question->usual ? question->usual : "";
        question->length = 0;
        for (const char *end = (const char *)question->answer; *end; end++) question->length++;
    }
    return LDAP_SUCCESS;
}

enum {
    cldap_certificate_expired = 1,
    cldap_certificate_early = 2,
    cldap_certificate_misnamed = 4,
};

// What is wrong with a certificate, by its own fields; -1 where it can't be read. With GnuTLS, libldap says
// of one that it refuses only that it does; with other libraries it says why, and these functions are not there.
static inline int cldap_certificate_faults(struct berval found, const char *host, time_t now) {
    struct { unsigned char *data; unsigned size; } der;
    void *certificate = 0;
    int (*init)(void **) = (int (*)(void **))dlsym((void *)0, "gnutls_x509_crt_init");
    void (*deinit)(void *) = (void (*)(void *))dlsym((void *)0, "gnutls_x509_crt_deinit");
    int (*import)(void *, void *, int) = (int (*)(void *, void *, int))dlsym((void *)0, "gnutls_x509_crt_import");
    time_t (*end)(void *) = (time_t (*)(void *))dlsym((void *)0, "gnutls_x509_crt_get_expiration_time");
    time_t (*begin)(void *) = (time_t (*)(void *))dlsym((void *)0, "gnutls_x509_crt_get_activation_time");
    unsigned (*fits)(void *, const char *) =
        (unsigned (*)(void *, const char *))dlsym((void *)0, "gnutls_x509_crt_check_hostname");
    int faults = -1;
    if (!init || !deinit || !import || !end || !begin || !fits || !found.bv_val) return -1;
    der.data = (unsigned char *)found.bv_val;
    der.size = (unsigned)found.bv_len;
    if (init(&certificate) == 0) {
        if (import(certificate, &der, 0) == 0)
            faults = (end(certificate) < now ? cldap_certificate_expired : 0)
                | (now < begin(certificate) ? cldap_certificate_early : 0)
                | (fits(certificate, host) ? 0 : cldap_certificate_misnamed);
        deinit(certificate);
    }
    return faults;
}

#endif
