/** Options that several commands have, as mixins and as readers of their values. */
package io.asyncflow.dev.command.option;
