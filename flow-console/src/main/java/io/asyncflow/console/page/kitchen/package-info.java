/** One page with every part in every state, for those who work on the console. */
package io.asyncflow.console.page.kitchen;
