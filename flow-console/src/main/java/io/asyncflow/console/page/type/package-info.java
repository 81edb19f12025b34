/** Task types: what they are set to, and their tables. */
package io.asyncflow.console.page.type;
