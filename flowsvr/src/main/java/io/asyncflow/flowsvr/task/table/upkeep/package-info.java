/** The later life of a table: it is drained, kept for its retention, archived and dropped. */
@NamedInterface("upkeep")
package io.asyncflow.flowsvr.task.table.upkeep;

import org.springframework.modulith.NamedInterface;
