/**
 * How a run ends, and how flowsvr is told: the report is written, queued, sent, and repeated until
 * it is settled.
 */
package io.asyncflow.worker.internal.report;
