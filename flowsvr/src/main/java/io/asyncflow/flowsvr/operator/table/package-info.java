/** The act that drops a drained table before its retention. */
package io.asyncflow.flowsvr.operator.table;
