/**
 * What several commands have: options, as mixins and as readers of their values, and calls of a
 * server.
 */
package io.asyncflow.dev.command.option;
