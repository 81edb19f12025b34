/** The search for tasks: its words, what it found, and acts on what was selected. */
package io.asyncflow.console.page.find;
