/** The environment of a command: the checkout in which it was called, and the API key. */
package io.asyncflow.dev.environment;
