/**
 * A text becomes speech: {@code split} → {@code synthesize}, again and again → {@code merge}.
 *
 * <pre>
 *   split        reads the text, refuses what cannot be spoken, writes the script
 *     ↓
 *   synthesize   speaks the next few passages on a slot, writes one piece    ↺ until all are spoken
 *     ↓
 *   merge        joins the pieces to one WAV
 * </pre>
 *
 * <h2>What is true when a worker dies</h2>
 *
 * A run may be given up at any line: the process is killed, or it was so slow that its lease went
 * to another worker, which does the same work while the slow one still writes. Two rules make that
 * harmless:
 *
 * <ol>
 *   <li>A run writes only files that carry its own name, made from task, stage and epoch. The
 *       server gives an epoch to one run only, so no two runs ever write the same file.
 *   <li>Nobody looks into a directory to find out what is done. A file counts if the task's context
 *       leads to it, and the context changes only by an accepted report, of which the server takes
 *       one a hold.
 * </ol>
 *
 * A context holds 4,096 bytes, too little for the list of pieces of a long book. So it names the
 * latest {@link io.asyncflow.example.tts.Piece} only, and each piece names the one before it:
 *
 * <pre>
 *   context ──→ 7_tts_task_1_synthesize_5 ──→ 7_tts_task_1_synthesize_3 ──→ 7_tts_task_1_synthesize_2
 *
 *               7_tts_task_1_synthesize_4     given up: nothing leads to it
 * </pre>
 *
 * The files of a task lie in a directory of its own, which may be deleted once the task is done;
 * the finished WAV lies beside it.
 */
package io.asyncflow.example.tts;
