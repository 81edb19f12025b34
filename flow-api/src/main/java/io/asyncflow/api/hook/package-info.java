/** Hooks: the URLs to which events are sent, and the client that keeps them. */
package io.asyncflow.api.hook;
