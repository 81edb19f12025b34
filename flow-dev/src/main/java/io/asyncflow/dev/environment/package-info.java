/** What a command finds set when it starts: the checkout it was called in, and the API key. */
package io.asyncflow.dev.environment;
