/** Jobs and their children. */
package io.asyncflow.console.page.job;
