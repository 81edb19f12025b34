/**
 * When a schedule fires: at the times of a cron expression in a time zone, or every so many
 * milliseconds. Pure functions, as the rest of the rules: the package reads no clock.
 */
package io.asyncflow.rules.schedule;
