/**
 * Runs the periodic duties that the features contribute, and tells what they did; with two duties
 * of its own, the audit of invariants and the gauge of late tasks.
 *
 * <p>Which duties there are, {@code governance/status} says.
 */
package io.asyncflow.flowsvr.operate.governance;
