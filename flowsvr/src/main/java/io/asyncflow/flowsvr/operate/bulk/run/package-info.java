/** Goes on with a bulk: rounds, pages, pace. */
package io.asyncflow.flowsvr.operate.bulk.run;
