/** What the results of a contest mean: rates, percentiles, the cost of idling, growth. */
package io.asyncflow.bench.measure;
