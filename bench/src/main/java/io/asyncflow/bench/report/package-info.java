/** What a run leaves: its conditions, tables and charts. */
package io.asyncflow.bench.report;
