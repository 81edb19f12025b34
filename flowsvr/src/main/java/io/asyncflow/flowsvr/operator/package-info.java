/** What operators do to tasks by force, and the record of it. */
package io.asyncflow.flowsvr.operator;
