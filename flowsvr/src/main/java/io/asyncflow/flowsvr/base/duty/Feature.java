package io.asyncflow.flowsvr.base.duty;

/**
 * A part of the product that costs nothing while it is not used; see {@link FeaturesInUse}.
 *
 * @param rows the rows that there are only while it is used, as SQL behind {@code FROM}; to find
 *     one of them takes few index accesses
 */
public record Feature(String rows) {}
