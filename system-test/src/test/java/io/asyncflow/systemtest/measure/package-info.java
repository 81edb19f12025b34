/**
 * What tests of several processes measure with: times, starts, statistics, and the figures they
 * note.
 */
package io.asyncflow.systemtest.measure;
