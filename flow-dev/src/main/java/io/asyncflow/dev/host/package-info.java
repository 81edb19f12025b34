/**
 * What a process takes from the machine that it runs on: directories and files of its owner alone,
 * the locks on them, TCP ports on loopback, and threads.
 */
package io.asyncflow.dev.host;
