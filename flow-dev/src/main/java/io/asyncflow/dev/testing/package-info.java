/** The database and the Redis that all tests of one JVM share, and the choice of that database. */
package io.asyncflow.dev.testing;
