/**
 * What commands are made of: the entry of a command, its arguments, a run of it with what was
 * written and where the answer goes; and readers of values for commands with annotations.
 */
package io.asyncflow.dev.command.option;
