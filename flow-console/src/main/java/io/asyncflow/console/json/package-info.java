/** Documents of tasks as trees that an operator can fold. */
package io.asyncflow.console.json;
