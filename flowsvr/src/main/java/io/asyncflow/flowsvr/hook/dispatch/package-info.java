/** Makes a task of each event that a hook wants. */
package io.asyncflow.flowsvr.hook.dispatch;
