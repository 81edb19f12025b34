/**
 * The two doors of the HTTP API, both closed by default.
 *
 * <p>The first is Spring Security's chain of filters, in this order:
 *
 * <ol>
 *   <li>the firewall: a path that is not written plainly is refused, so all that follow, and
 *       Spring's router, read the same path
 *   <li>{@link io.asyncflow.flowsvr.edge.access.site.LocalGuard}: on a server without keys, web
 *       pages of other sites are refused
 *   <li>{@link io.asyncflow.flowsvr.edge.access.chain.CallerFilter}: finds the caller of the
 *       request
 *   <li>{@link io.asyncflow.flowsvr.edge.access.session.SessionGuard}: refuses what a page of
 *       another site sends with the cookie of a session
 *   <li>{@link io.asyncflow.flowsvr.edge.access.chain.Routes}: compares the caller's verbs with
 *       those that {@link io.asyncflow.flowsvr.edge.access.Needs} demands for the route; refuses
 *       all routes that it does not know
 * </ol>
 *
 * <p>The second is {@link io.asyncflow.flowsvr.edge.access.chain.SecondDoor}, around each method
 * with {@code @Needs}, however it is called.
 *
 * <p>Behind the first, {@link io.asyncflow.flowsvr.edge.access.chain.CallGate} refuses calls that
 * the server does not serve now. {@link io.asyncflow.flowsvr.edge.access.chain.Refusals} answers
 * what the chain refuses.
 */
@NamedInterface("chain")
package io.asyncflow.flowsvr.edge.access.chain;

import org.springframework.modulith.NamedInterface;
