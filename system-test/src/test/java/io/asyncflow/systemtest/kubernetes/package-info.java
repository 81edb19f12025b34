/** What runs in a cluster: the objects that the chart makes, and the layers of the images. */
package io.asyncflow.systemtest.kubernetes;
