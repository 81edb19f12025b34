/** The rows of jobs: their data, state and counts, and the statements that change them. */
@NamedInterface("core")
package io.asyncflow.flowsvr.compose.job.core;

import org.springframework.modulith.NamedInterface;
