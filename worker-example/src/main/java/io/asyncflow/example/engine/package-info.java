/**
 * A stage in Python: {@code vectors/embed} is run by {@code engine/reference_engine.py}, one warm
 * process for each slot. It is disabled unless {@code example.engine.enabled} is {@code true},
 * because it needs {@code python3} on the machine.
 */
package io.asyncflow.example.engine;
