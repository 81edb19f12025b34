/** Acts of operators on tasks, and their record. */
package io.asyncflow.flowsvr.operator;
