/** Reports of holders on their tasks, and the partial updates of clients that know no leases. */
package io.asyncflow.flowsvr.report;
