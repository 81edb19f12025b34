/** The act that cleans the drained tables of a type. */
package io.asyncflow.flowsvr.operator.table;
