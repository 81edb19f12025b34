/** What keeps jobs right and few: the audit of their counts, and their retention. */
@NamedInterface("upkeep")
package io.asyncflow.flowsvr.job.upkeep;

import org.springframework.modulith.NamedInterface;
