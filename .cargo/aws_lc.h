/* The compiler reads this before each file of aws-lc in builds of published wheels, except on Windows (see the justfile).
 * Without it, a wheel has 0.5 MB more, compressed, of code that only makes TLS faster.
 *
 * After an edit of this file: cargo clean --profile published --package aws-lc-sys */

/* The build script of aws-lc-sys checks the compiler with files of its own, which have no path to these headers. */
#if __has_include(<openssl/target.h>)

/* Leaves out tables of elliptic curves. <openssl/target.h> would then also leave out the assembly for AVX-512, which signs
 * twice as fast, so it is read first. It knows systems of Apple by a header that aws-lc reads before it. */
#if defined(__APPLE__) && !defined(__ASSEMBLER__)
#include <TargetConditionals.h>
#endif
#include <openssl/target.h>
#define OPENSSL_SMALL 1

/* Each of these has two forms with a large table, or with much code. The form "_alt" runs on every processor. */
#if defined(OPENSSL_X86_64) && !defined(__ASSEMBLER__)
#include <openssl/boringssl_prefix_symbols.h>
#undef curve25519_x25519_byte
#undef curve25519_x25519base_byte
#undef edwards25519_scalarmulbase
#undef edwards25519_scalarmuldouble
#define curve25519_x25519_byte curve25519_x25519_byte_alt
#define curve25519_x25519base_byte curve25519_x25519base_byte_alt
#define edwards25519_scalarmulbase edwards25519_scalarmulbase_alt
#define edwards25519_scalarmuldouble edwards25519_scalarmuldouble_alt

/* Leaves out AES-GCM with AVX-512: 0.7 MB of unrolled loops, before compression. AES-GCM with AVX encrypts more than a gigabyte a second.
 * The macro turns a call, f(), into 0, and leaves the declaration and the definition, f(void), as they are. */
#undef crypto_gcm_avx512_enabled
#define crypto_gcm_avx512_enabled(parameters) botdesk_gcm_avx512_##parameters
#define botdesk_gcm_avx512_ 0
#define botdesk_gcm_avx512_void BORINGSSL_ADD_PREFIX(BORINGSSL_PREFIX, crypto_gcm_avx512_enabled)(void)
#endif

#endif
