/** The act that drops a drained table before its retention. */
package io.asyncflow.flowsvr.operate.operator.table;
