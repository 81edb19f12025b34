/**
 * Counts what the two doors of {@link io.asyncflow.flowsvr.edge.access} refuse, and says so in the
 * log once a minute for each address.
 */
package io.asyncflow.flowsvr.edge.access.refusal;
