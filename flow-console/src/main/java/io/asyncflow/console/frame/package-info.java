/** What is the same on every page: who looks at it, words, preferences, errors and rendering. */
package io.asyncflow.console.frame;
