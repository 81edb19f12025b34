/**
 * A worker on the SDK whose handlers do what the context of their task says, and the points at
 * which its process can be made to die.
 */
package io.asyncflow.systemtest.worker;
