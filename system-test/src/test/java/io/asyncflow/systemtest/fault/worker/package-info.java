/** Workers and their engines that die, freeze, loop or run out of memory. */
package io.asyncflow.systemtest.fault.worker;
