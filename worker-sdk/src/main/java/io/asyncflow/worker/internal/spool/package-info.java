/** What found no server, on the disk of this machine: reports, and the objects that they name. */
package io.asyncflow.worker.internal.spool;
