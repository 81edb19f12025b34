/**
 * A client in a Spring Boot application: set {@code asyncflow.client.url}, and there is a {@link
 * io.asyncflow.api.FlowClient} bean. Task types that the application declares are saved when it
 * starts.
 */
package io.asyncflow.spring;
