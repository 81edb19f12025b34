/** What processes use of the machine: processor time, memory, threads, files. */
package io.asyncflow.bench.resource;
