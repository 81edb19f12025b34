/** Puts the console into a Spring Boot application. */
package io.asyncflow.console.autoconfigure;
