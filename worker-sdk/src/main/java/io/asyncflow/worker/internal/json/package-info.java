/** Contexts and results as JSON, by the Jackson that the application has. */
package io.asyncflow.worker.internal.json;
