/** Words, times, counts and texts of strangers, as an operator reads them. */
package io.asyncflow.console.text;
