/**
 * Resources of the machine: directories and files for the owner only, their locks, TCP ports on
 * loopback, and threads.
 */
package io.asyncflow.dev.host;
