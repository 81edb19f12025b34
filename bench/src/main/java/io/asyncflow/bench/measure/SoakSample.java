package io.asyncflow.bench.measure;

import io.asyncflow.bench.resource.ProcessLook;

/**
 * A look at everything that might grow.
 *
 * @param seconds since the load began
 * @param done tasks that were run so far
 * @param tables of the type that are there
 * @param rolls of the type so far
 * @param connections to the database, of everybody
 * @param openTables in the database's cache
 */
public record SoakSample(
    double seconds,
    long done,
    ProcessLook server,
    ProcessLook worker,
    int tables,
    int rolls,
    int connections,
    int openTables) {}
