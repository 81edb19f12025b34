/** Acts of operators on the tables of a type. */
package io.asyncflow.flowsvr.operator.table;
