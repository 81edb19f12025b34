#!/bin/sh
# An engine that does what the context of a task says, each way to go wrong in one word.
# A word with a file, as DIE:/tmp/x, goes wrong once: not again when the file is there.

say() { printf '%s\n' "$1"; }

read -r hello
case "$1" in
  LATE) sleep 1000 ;;
  OTHER) say '{"type":"ready","protocol":7}' ;;
  GARBAGE) say 'Loading the model ...' ;;
  *) say '{"type":"ready","protocol":1,"engine":"scripted 1"}' ;;
esac

while read -r line; do
  case $line in
    *'"type":"cancel"'*)
      id=${line#*'"ids":["'}
      id=${id%%'"'*}
      say "{\"type\":\"error\",\"id\":\"$id\",\"kind\":\"cancelled\"}"
      continue
      ;;
  esac
  id=${line#*'"id":"'}
  id=${id%%'"'*}
  script=${line#*'"context":"'}
  script=${script%%'"'*}
  once=${script#*:}
  if [ "$once" != "$script" ]; then
    if [ -e "$once" ]; then script=PID; else script=${script%%:*}; : > "$once"; fi
  fi
  case $script in
    PID) say "{\"type\":\"result\",\"id\":\"$id\",\"result\":\"$$\"}" ;;
    DEVICE) say "{\"type\":\"result\",\"id\":\"$id\",\"result\":{\"cuda\":\"$CUDA_VISIBLE_DEVICES\"}}" ;;
    DIRECTORY) say "{\"type\":\"result\",\"id\":\"$id\",\"result\":\"$(pwd -P)\"}" ;;
    ENVIRONMENT) say "{\"type\":\"result\",\"id\":\"$id\",\"result\":\"$(env | cut -d= -f1 | tr '\n' ' ')\"}" ;;
    NEXT) say "{\"type\":\"result\",\"id\":\"$id\",\"nextStage\":\"merge\",\"context\":{\"n\":3},\"priority\":60}" ;;
    PROGRESS)
      say "{\"type\":\"progress\",\"id\":\"$id\",\"percent\":40}"
      say "{\"type\":\"progress\",\"id\":\"$id\",\"percent\":900}"
      say "{\"type\":\"result\",\"id\":\"$id\",\"result\":null}"
      ;;
    RETRY) say "{\"type\":\"error\",\"id\":\"$id\",\"kind\":\"retryable\",\"message\":\"busy\"}" ;;
    FATAL) say "{\"type\":\"error\",\"id\":\"$id\",\"kind\":\"fatal\",\"message\":\"no such voice\"}" ;;
    MEMORY) say "{\"type\":\"error\",\"id\":\"$id\",\"kind\":\"out_of_memory\",\"message\":\"2 GiB short\"}" ;;
    EXIT) echo "Segmentation fault, of sorts" >&2; exit 3 ;;
    DIE) kill -KILL $$ ;;
    PRINT) say "hello, world" ;;
    NAN)
      say "{\"type\":\"progress\",\"id\":\"$id\",\"percent\":NaN}"
      say "{\"type\":\"result\",\"id\":\"$id\",\"result\":{\"losses\":[1,NaN]}}"
      ;;
    INFINITE) say "{\"type\":\"result\",\"id\":\"$id\",\"nextStage\":\"merge\",\"context\":-Infinity}" ;;
    HUGE) say "{\"type\":\"result\",\"id\":\"$id\",\"result\":1e999}" ;;
    MARK) printf '\357\273\277'; say "{\"type\":\"result\",\"id\":\"$id\",\"result\":1}" ;;
    LONG) printf 'x%.0s' $(seq 1 300); say "" ;;
    FLOOD) while :; do say "{\"type\":\"progress\",\"id\":\"$id\",\"percent\":1}"; done ;;
    FORGE)
      printf 'one\r2026 ERROR forged \033[31m\n' >&2
      say "{\"type\":\"error\",\"id\":\"$id\",\"kind\":\"fatal\",\"message\":\"no\\u001b[31m\\nERROR forged\"}"
      ;;
    TALK) seq 1 500 >&2; say "{\"type\":\"result\",\"id\":\"$id\",\"result\":null}" ;;
    WAIT) ;;
    HANG)
      sleep 1000 &
      printf '%s' "$!" > "$HANG_FILE.new"
      mv "$HANG_FILE.new" "$HANG_FILE"
      wait
      ;;
    ORPHAN)
      sleep 1000 &
      printf '%s' "$!" > "$HANG_FILE.new"
      mv "$HANG_FILE.new" "$HANG_FILE"
      kill -KILL $$
      ;;
  esac
done
