/** The database: URL, clock, transactions and retries, migrations, health. */
package io.asyncflow.flowsvr.system.db;
