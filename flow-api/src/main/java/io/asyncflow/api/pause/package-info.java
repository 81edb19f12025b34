/** Pauses of types, stages and workers on the wire, and the calls about them. */
package io.asyncflow.api.pause;
