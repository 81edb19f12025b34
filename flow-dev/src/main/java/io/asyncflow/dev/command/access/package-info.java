/** Commands about access: keys of callers, keys that seal texts, and the record of acts. */
package io.asyncflow.dev.command.access;
