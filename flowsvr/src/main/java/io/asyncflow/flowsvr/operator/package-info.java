/** Acts of operators on tasks and their tables, and the record of the copies that retries make. */
package io.asyncflow.flowsvr.operator;
