/** Servers, leaders and their Redis that die, freeze, restart one by one, or have a wrong clock. */
package io.asyncflow.systemtest.fault.server;
