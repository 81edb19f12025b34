/**
 * Requests to the URLs of hooks, which callers choose: only to hosts that the operator allows, and
 * to no address inside. What a name resolves to is checked where the connection is made, so no
 * second answer of a name server can lead to another address.
 */
@NamedInterface("egress")
package io.asyncflow.flowsvr.compose.hook.egress;

import org.springframework.modulith.NamedInterface;
