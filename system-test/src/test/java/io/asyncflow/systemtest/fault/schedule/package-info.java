/** Schedules that fire while servers, their database and their callers misbehave. */
package io.asyncflow.systemtest.fault.schedule;
