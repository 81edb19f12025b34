/** Undelivered reports, and the objects that they name, on this machine's disk. */
package io.asyncflow.worker.internal.spool;
