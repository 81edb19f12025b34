/** Jobs while the processes and connections that they depend on break. */
package io.asyncflow.systemtest.fault.job;
