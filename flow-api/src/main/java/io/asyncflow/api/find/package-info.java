/** The calls that find tasks, say why they do not run, and steer a single one. */
package io.asyncflow.api.find;
