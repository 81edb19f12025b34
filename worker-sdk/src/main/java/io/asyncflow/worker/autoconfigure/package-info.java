/**
 * A worker in a Spring Boot application: add the dependency, write beans that handle stages, and
 * set {@code asyncflow.worker.*}.
 */
package io.asyncflow.worker.autoconfigure;
