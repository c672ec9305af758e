// OpenSSL 3 prefers EVP, which would link all of its algorithms in place of five small files.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

static inline void sha256(const void *bytes, size_t count, unsigned char *digest) {
    SHA256_CTX context;
    SHA256_Init(&context);
    SHA256_Update(&context, bytes, count);
    SHA256_Final(digest, &context);
}
