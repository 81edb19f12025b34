/** Acts of operators on tasks: retries, pauses, clones and others. */
package io.asyncflow.flowsvr.operate.operator;
