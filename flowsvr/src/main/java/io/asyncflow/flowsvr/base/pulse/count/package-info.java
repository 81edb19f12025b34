/** The numbers of {@code t_metric}: counts, and histograms of durations. */
@NamedInterface("count")
package io.asyncflow.flowsvr.base.pulse.count;

import org.springframework.modulith.NamedInterface;
