/** Maintenance of jobs: the audit of their counts, and retention. */
@NamedInterface("upkeep")
package io.asyncflow.flowsvr.compose.job.upkeep;

import org.springframework.modulith.NamedInterface;
