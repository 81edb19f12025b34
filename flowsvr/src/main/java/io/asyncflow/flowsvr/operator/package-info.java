/** Acts of operators on tasks, and the record of the copies that retries make. */
package io.asyncflow.flowsvr.operator;
