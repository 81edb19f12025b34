/** The rows of tasks, the statements that read and write them, and the limits of their fields. */
package io.asyncflow.flowsvr.task.row;
