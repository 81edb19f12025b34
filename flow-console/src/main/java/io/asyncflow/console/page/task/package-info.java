/** A task: what it is, and what can be done with it. */
package io.asyncflow.console.page.task;
