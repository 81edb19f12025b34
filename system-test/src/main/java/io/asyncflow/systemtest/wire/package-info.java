/** A wire that can be bad in every way a wire can be. */
package io.asyncflow.systemtest.wire;
