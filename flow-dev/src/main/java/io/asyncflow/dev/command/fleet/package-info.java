/** Commands that steer how a server somewhere works: types, workers, pauses and hooks. */
package io.asyncflow.dev.command.fleet;
