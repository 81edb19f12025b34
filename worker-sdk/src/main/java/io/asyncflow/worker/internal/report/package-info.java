/**
 * Ends of runs and their reports: a report is written, queued, sent, and repeated until it is
 * settled.
 */
package io.asyncflow.worker.internal.report;
