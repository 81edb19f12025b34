/**
 * Sessions: a person exchanges a key or a token for a cookie, so that no page needs to keep the
 * secret.
 *
 * <p>The id of a session is random, the browser alone has it, and {@code t_session} keeps its hash.
 * {@link io.asyncflow.flowsvr.edge.access.session.Sessions} finds the session of a request, and
 * asks each time whether the key that began it is still live. A row counts only under its seal, as
 * with keys.
 *
 * <p>Browsers send cookies whoever asks them to, so {@link
 * io.asyncflow.flowsvr.edge.access.session.SessionGuard} refuses requests that pages of other sites
 * caused. {@link io.asyncflow.flowsvr.edge.access.session.HostCookie} says over which connections
 * there are cookies at all.
 *
 * <p>Spring Session JDBC is not used: it keeps ids in clear, and a repository of our own behind its
 * interface would be this package once more.
 */
@NamedInterface("session")
package io.asyncflow.flowsvr.edge.access.session;

import org.springframework.modulith.NamedInterface;
