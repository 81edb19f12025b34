/**
 * What all contenders run on: one durable database, one flowsvr from its real jar, a Redis, and the
 * tables and tasks in them; and more servers for a part that asks for them.
 */
package io.asyncflow.bench.bed;
