/** The DDL of task tables, their shape, and statements over one of them. */
@NamedInterface("schema")
package io.asyncflow.flowsvr.task.table.schema;

import org.springframework.modulith.NamedInterface;
