/**
 * The commands of {@code ./asyncflow} that are no programs of their own, and what all commands of
 * {@code ./asyncflow} have in common. docs/cli.md lists them.
 *
 * <p>{@link io.asyncflow.dev.command.Asyncflow} is the root of the command line, for the commands
 * of other modules too; {@link io.asyncflow.dev.command.DevLauncher} is the main class of those
 * here. {@code DevCommand} and {@code DemoCommand} start a stack of their own; the others need
 * none, and know a server that runs somewhere by HTTP alone.
 */
package io.asyncflow.dev.command;
