/** When a failed stage is tried again: pure functions, no clock, no database. */
package io.asyncflow.flowsvr.retry;
