/** Failures that are alike. */
package io.asyncflow.console.page.failure;
