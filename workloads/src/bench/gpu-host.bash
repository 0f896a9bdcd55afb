#!/usr/bin/env bash
# Measures what docs/performance.md says of a machine with GPUs, from an unpacked `evener bundle --tests`:
#
#   bash workloads/src/bench/gpu-host.bash evener-VERSION OUT [PART...]
#
# Each part leaves its output, and what it measured as JSON, under OUT; without PART, all of them run. A part that takes longer than
# LIMIT seconds (500) is ended, and the others go on.
#
# CPU and GPU name the devices, 1.0 and 0.0 unless set, and GPUS all GPUs of one platform, 0.0,0.1. CORES, if set, are those to use, as
# taskset takes them. ROUNDS is how often jobs are measured, as often as their length asks for unless set.
set -uo pipefail

(($# >= 2)) || { sed -n '2,12p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bundle=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
shift 2
parts=("$@")
(($# > 0)) || parts=(probe faults scaling frames table large transfers resident simulation tests)

cpu=${CPU:-1.0} gpu=${GPU:-0.0} gpus=${GPUS:-0.0,0.1} rounds=${ROUNDS:-} limit=${LIMIT:-500}
export EVENER_NO_INSTALL=1
export EVENER_JAVA_OPTS=${EVENER_JAVA_OPTS:--XX:MaxDirectMemorySize=100g -Xmx16g}

evener() {
  timeout "$limit" ${CORES:+taskset -c "$CORES"} "$bundle/evener" "$@"
}

# What a class of the tests prints that is a program.
program() {
  timeout "$limit" ${CORES:+taskset -c "$CORES"} "$bundle/runtime/bin/java" $EVENER_JAVA_OPTS \
    -cp "$(sed "s|^|$bundle/tests/|" "$bundle/tests/workloads/class-path" | paste -sd :)" "$@"
}

bench() { # name, workloads, sets of devices, sizes, further options
  local name=$1 workloads=$2 devices=$3 sizes=$4
  shift 4
  evener bench ${workloads//,/ } --devices ${devices// / --devices } --sizes "$sizes" --json "$out/$name.json" --record "$out/$name.jsonl.gz" "$@"
}

probe() {
  evener devices
  evener devices --probe --json "$out/probe.json"
}

# A device that fails in mid-run must not change a pixel or a number.
faults() {
  local fault wrong=0
  evener tonemap --devices "$cpu,$gpu" --out "$out/frames" --quiet || wrong=1
  for fault in error die hang:2 slow:4x build alloc; do
    rm -rf "$out/faulty"
    evener tonemap --devices "$cpu,$gpu" --policy stealing --out "$out/faulty" --quiet --chunk-deadline 1 \
      --inject "lane=1,fault=$fault" || wrong=1
    if diff -r "$out/frames" "$out/faulty"; then echo "tonemap, $fault: same pixels"; else wrong=1; fi
    evener bench sum scan histogram --devices "$cpu,$gpu" --sizes 16Mi --policies stealing,adaptive --repeat 5 --sweep 0 \
      --warm-up 0.2 --verify --chunk-deadline 1 --inject "lane=1,fault=$fault,chunk=3" >"$out/fault-${fault%%:*}.txt" 2>&1 ||
      wrong=1
    echo "bench, $fault: $(tail -n 1 "$out/fault-${fault%%:*}.txt")"
  done
  rm -rf "$out/faulty" "$out/frames"
  return $wrong
}

# The first 1, 2, 4 ... GPUs, all of them, and all of them beside the CPU.
sets_of_gpus() {
  local all n
  IFS=, read -ra all <<<"$gpus"
  for ((n = 1; n < ${#all[@]}; n *= 2)); do (IFS=, && echo "${all[*]:0:n}"); done
  printf '%s\n' "$gpus" "$cpu,$gpus"
}

scaling() {
  local sets
  sets=$(sets_of_gpus | paste -sd ' ')
  bench scaling-nbody nbody "${sets% *}" 512Ki --policies adaptive,history --sweep 4 --repeat 9 --warm-up 0.5
  bench scaling-mandelbrot mandelbrot "$sets" 64Mi --set limit=8192 --policies adaptive,history --sweep 8 --repeat 15
  bench scaling-resident sum,histogram "$sets" 4Gi,16Gi --set resident=true --policies adaptive,history --sweep 4 --repeat 15 --warm-up 1
  bench scaling-memory tonemap,scan,sum,histogram "$sets" 64Mi --policies adaptive,history --sweep 8 --repeat 15 --warm-up 0.5
}

# From file to PNG: the folder FRAMES, or the samples a hundred times.
frames() {
  local set repeat=()
  [[ ${FRAMES:-} ]] || repeat=(--repeat 100)
  for set in $(sets_of_gpus) "$cpu"; do
    evener tonemap ${FRAMES:+"$FRAMES"} "${repeat[@]}" --devices "$set" --out "$out/frames" --json "$out/frames-$set.json"
    rm -rf "$out/frames"
  done
}

table() {
  bench table tonemap,scan,sum,histogram,mandelbrot "$cpu,$gpu" 16Ki,256Ki,4Mi,64Mi --policies adaptive --sweep 9 \
    ${rounds:+--repeat "$rounds"} --warm-up 0.5
  bench table-nbody nbody "$cpu,$gpu" 1Ki,16Ki,128Ki --policies adaptive --sweep 5 ${rounds:+--repeat "$rounds"} --warm-up 0.5
}

# Beyond what one buffer holds, and checked.
large() {
  bench large scan,sum,histogram "$cpu,$gpu" 2Gi --policies adaptive --sweep 5 --repeat 15 --warm-up 3
  evener run scan --size 2Gi --devices "$cpu,$gpu" --verify
  evener run sum --size 2Gi --devices "$cpu,$gpu" --verify
}

transfers() {
  evener bench transfers --devices "$gpu" --out "$out/transfers.jsonl" --fresh --details --json "$out/transfers.json"
  evener bench primitives --devices "$gpu" --out "$out/primitives.jsonl" --fresh --details --json "$out/primitives.json"
}

resident() {
  local against=()
  if command -v nvcc >/dev/null; then
    nvcc -O3 -std=c++17 -arch=native "$here/cub/cub.cu" -o "$out/cub" && "$out/cub" 15 >"$out/cub.json"
    against=(--against "$out/cub.json")
    rm -f "$out/cub"
  fi
  evener bench resident --devices "$gpu" --out "$out/resident.jsonl" --fresh --details --json "$out/resident.json" "${against[@]}"
}

simulation() {
  program dev.evener.workloads.replay.SimulationAccuracy "$cpu,$gpu" 40 keep="$out" \
    mandelbrot:4194304 saxpy:16777216 histogram:67108864 tonemap:4194304 sum:67108864 nbody:8192
}

# PoCL starts a thread for every core in each of the processes, unless it is told otherwise.
tests() {
  (cd "$bundle" && POCL_MAX_PTHREAD_COUNT=2 POCL_CPU_MAX_CU_COUNT=2 \
    ./evener verify --processes "${PROCESSES:-8}" --limit "$limit" --output "$out/tests")
}

status=0
for part in "${parts[@]}"; do
  declare -F "$part" >/dev/null || { echo "no part '$part'" >&2; exit 2; }
  begun=$SECONDS
  echo "== $part"
  "$part" >"$out/$part.txt" 2>&1
  code=$?
  ((code == 0)) || { status=1; echo "   exit code $code"; }
  tail -n 25 "$out/$part.txt"
  echo "== $part took $((SECONDS - begun)) s"
done
exit $status
