/**
 * People who log in at the issuer, by OpenID Connect's authorization code flow. Nothing of this is
 * there without {@code FLOW_OIDC_CLIENT_ID}.
 *
 * <p>{@link io.asyncflow.flowsvr.edge.access.login.IssuerLogIns} sends a browser to the issuer, and
 * takes it back with a code. In between, the browser keeps a {@code PendingLogIn} in a sealed
 * cookie, so any server finishes what another one began. {@code CodeExchange} gets the issuer's
 * token for the code, and {@link io.asyncflow.flowsvr.edge.access.token.IdTokens} says whom it
 * proves.
 *
 * <p>Nimbus' SDK has the messages. Spring Security's {@code oauth2Login()} stands on the same SDK,
 * and is not used: a sealed cookie, bounded requests, an issuer that is away at the start, and
 * {@code iss} of the answer would each be a part of it to replace.
 */
@NamedInterface("login")
package io.asyncflow.flowsvr.edge.access.login;

import org.springframework.modulith.NamedInterface;
