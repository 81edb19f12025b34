/**
 * The README is a program: everything in it that can be run is run.
 *
 * <p>{@link io.asyncflow.systemtest.readme.ReadmeIT} plays its code blocks from the first to the
 * last, as a reader would, and compares what it shows with what comes. What varies from run to run
 * (ids, times, trace ids) is compared by its form, and an id means the same task wherever it
 * stands. {@link io.asyncflow.systemtest.readme.ReadmeTest} looks at what needs no running stack:
 * links, tables, names, and that the translation shows the same code.
 */
package io.asyncflow.systemtest.readme;
