/**
 * What is due, and where: the statements that look, and the memory of what was seen, so that claims
 * leave alone what has nothing for them.
 */
package io.asyncflow.flowsvr.due;
