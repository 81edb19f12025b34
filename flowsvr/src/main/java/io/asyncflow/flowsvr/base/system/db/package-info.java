/** The database: URL, clock, transactions and retries, health. */
package io.asyncflow.flowsvr.base.system.db;
