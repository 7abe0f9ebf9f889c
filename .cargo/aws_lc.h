/* The compiler reads this before each file of aws-lc in builds of published wheels (see the justfile). It leaves out code
 * that only makes TLS handshakes faster, and takes 0.4 MB of a wheel. */

/* Leaves out tables of elliptic curves. <openssl/target.h> would then also leave out the assembly for AVX-512, which signs
 * twice as fast, so it is read first. */
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
#endif
