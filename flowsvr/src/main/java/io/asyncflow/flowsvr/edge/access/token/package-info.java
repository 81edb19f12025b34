/**
 * Tokens of an OpenID Connect issuer that the server trusts, instead of keys of its own. Nothing of
 * this is there without {@code FLOW_OIDC_ISSUER}.
 *
 * <p>{@link io.asyncflow.flowsvr.edge.access.token.Tokens} has Spring Security verify a token:
 * signature, issuer, audience, times. {@code TrustedIssuer} gets the issuer's public keys, which
 * Nimbus keeps, and {@code Ed25519} the signatures that Nimbus leaves to others. {@code TokenGrant}
 * reads from the claims what the caller may do. {@link
 * io.asyncflow.flowsvr.edge.access.token.IdTokens} does the same for people who log in.
 *
 * <p>Spring Security's {@code oauth2ResourceServer()} is not used: its filter would find the
 * bearer, as the one of the chain does for keys, too, and all rules here would stay. Nimbus
 * verifies Ed25519 with Tink alone, which the server has no other use for.
 */
package io.asyncflow.flowsvr.edge.access.token;
