/** Workers: what they run, and whether they may go on. */
package io.asyncflow.console.page.worker;
