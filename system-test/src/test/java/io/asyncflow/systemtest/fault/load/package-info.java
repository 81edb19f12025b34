/** Many clients at once, storms of them, and all faults together. */
package io.asyncflow.systemtest.fault.load;
