/**
 * The database: its URL, its clock, transactions and their retries, migrations, whether it is up.
 */
package io.asyncflow.flowsvr.system.db;
