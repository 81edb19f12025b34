/**
 * The main classes behind {@code ./asyncflow dev}, {@code demo} and {@code submit}, their options,
 * and what each of them runs.
 *
 * <p>{@link io.asyncflow.dev.command.DevLauncher} starts a stack of its own; {@link
 * io.asyncflow.dev.command.Submit} needs none, and knows a server that runs somewhere by HTTP
 * alone.
 */
package io.asyncflow.dev.command;
