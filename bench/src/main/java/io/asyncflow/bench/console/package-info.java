/**
 * The console: what its pages and calls cost, and what they are to those who work. What there is to
 * look at is {@link io.asyncflow.bench.console.Sights}; what happens beside holds is a {@link
 * io.asyncflow.bench.console.Company}.
 */
package io.asyncflow.bench.console;
