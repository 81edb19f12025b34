/** Migrates the database at start, beside servers that run, and again if a start was cut off. */
package io.asyncflow.flowsvr.base.system.migration;
