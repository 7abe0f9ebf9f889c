/* The compiler reads this before each file of aws-lc in builds of published wheels (see the justfile).
 *
 * OPENSSL_SMALL leaves out tables that only make the elliptic curves of TLS handshakes faster, and take 0.3 MB of a wheel.
 * <openssl/target.h> would then also leave out the assembly for AVX-512, which signs twice as fast, so it is read first. */
#include <openssl/target.h>
#define OPENSSL_SMALL 1
