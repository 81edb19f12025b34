/** Goes on with a bulk: rounds, pages, pace. */
package io.asyncflow.flowsvr.bulk.run;
