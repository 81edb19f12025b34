/** What every feature stands on and none owns: the clock, transactions, Redis, background loops. */
package io.asyncflow.flowsvr.system;
