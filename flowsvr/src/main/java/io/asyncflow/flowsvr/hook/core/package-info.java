/** The rows of hooks, their secrets, and the type of the tasks that deliver their events. */
package io.asyncflow.flowsvr.hook.core;
