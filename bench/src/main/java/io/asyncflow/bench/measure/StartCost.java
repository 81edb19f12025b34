package io.asyncflow.bench.measure;

/**
 * What a start of a server takes, and the server then has.
 *
 * @param seconds from the start of its process until it is ready
 * @param idleMiB resident, when it has had nothing to do for a while
 * @param afterMiB resident, when it has just done work
 * @param peakMiB the most that it had until then
 */
public record StartCost(double seconds, double idleMiB, double afterMiB, double peakMiB) {}
