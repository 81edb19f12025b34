/**
 * A database that dies, freezes, is full, fails over, or is migrated by a server that is killed.
 */
package io.asyncflow.systemtest.fault.database;
