#!/usr/bin/env bash
# Measures what docs/performance.md says of a machine with GPUs, from an unpacked `evener bundle --tests`:
#
#   bash workloads/src/bench/gpu-host.bash evener-VERSION OUT [PART...]
#
# Each part leaves its output, and what it measured as JSON, under OUT; without PART, all of them run. A part that takes longer than
# LIMIT seconds (500) is ended, and the others go on.
#
# CPU and GPU name the devices, 1.0 and 0.0 unless set, and GPUS all GPUs of one platform, 0.0,0.1. CORES, if set, are those to use, as
# taskset takes them. ROUNDS is how often jobs are measured, as often as their length asks for unless set. FRAMES is a folder of frames, STORM
# how many seconds random programs run, 600 unless set.
set -uo pipefail

(($# >= 2)) || { sed -n '2,13p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bundle=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
shift 2
parts=("$@")
(($# > 0)) || parts=(probe faults storms gpus frames table large transfers resident simulation tests)

cpu=${CPU:-1.0} gpu=${GPU:-0.0} gpus=${GPUS:-0.0,0.1} rounds=${ROUNDS:-} limit=${LIMIT:-500}
export EVENER_NO_INSTALL=1
export EVENER_JAVA_OPTS=${EVENER_JAVA_OPTS:--XX:MaxDirectMemorySize=100g -Xmx16g}

evener() {
  timeout "$limit" ${CORES:+taskset -c "$CORES"} "$bundle/evener" "$@"
}

# What a class of a module's tests prints that is a program.
program() { # module, class, arguments
  LD_PRELOAD=$bundle/runtime/lib/libjsig.so timeout "$limit" ${CORES:+taskset -c "$CORES"} "$bundle/runtime/bin/java" $EVENER_JAVA_OPTS \
    -cp "$(sed "s|^|$bundle/tests/|" "$bundle/tests/$1/class-path" | paste -sd :)" "${@:2}"
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

# Rows of gpus.csv from what bench wrote: each contender on each set of devices over the first device alone.
speedups() { # kind of data, CSV
  awk -v data="$1" '
    function cells(line, to,    n, quoted, i, ch) { # of CSV
      n = 1; to[1] = ""; quoted = 0
      for (i = 1; i <= length(line); i++) {
        ch = substr(line, i, 1)
        if (ch == "\"") quoted = !quoted
        else if (ch == "," && !quoted) to[++n] = ""
        else to[n] = to[n] ch
      }
      return n
    }
    !($0 ~ /,/) { next }
    !known { count = cells($0, head); for (i = 1; i <= count; i++) at[head[i]] = i; known = 1; next }
    {
      cells($0, c)
      kind = c[at["workload"]] " " c[at["items"]]; set = c[at["selector"]]; seconds = c[at["median_seconds"]]
      if (!(kind in one)) one[kind] = seconds # of the first set, whose first contender is its first device
      if (c[at["role"]] == "single" && set ~ /,/) next
      if (seconds > 0) printf "%s,%s,%s,%s,\"%s\",%s,%.6f,%.3f\n", data, c[at["workload"]], c[at["items"]], c[at["rounds"]], set, c[at["name"]], seconds, one[kind] / seconds
    }' "$2"
}

# The speed-up of the default policy over the number of GPUs, beside what it could be at best.
chart_of_speedups() {
  awk -v cpu="$cpu" '
    BEGIN { width = 460; height = 360; colours = split("#1f77b4 #d62728 #2ca02c #9467bd #ff7f0e #17becf #8c564b #e377c2", colour, " ") }
    FNR == 1 { next }
    { n = split($0, q, "\""); split(q[1], front, ","); split(q[3], back, ","); set = q[2] }
    back[2] != "adaptive" && !(back[2] ~ /^single/ && !(set ~ /,/)) || index("," set ",", "," cpu ",") { next }
    {
      gpus = split(set, each, ","); name = front[1] " " front[2]
      if (gpus == 1 && back[2] == "adaptive") next
      if (!(name in order)) { order[name] = ++lines; names[lines] = name }
      x[name, ++points[name]] = gpus; y[name, points[name]] = back[4]
      if (gpus > most) most = gpus
    }
    function px(v) { return 50 + (v - 1) * (width - 60) / (most > 1 ? most - 1 : 1) }
    function py(v) { return 10 + (most - v) * (height - 50) / (most > 1 ? most - 1 : 1) }
    END {
      printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n", width + 200, height
      for (v = 1; v <= most; v++) {
        printf "<path d=\"M50 %.1fH%d\" stroke=\"#ddd\"/><text x=\"44\" y=\"%.1f\" text-anchor=\"end\">%d ×</text><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d</text>\n", py(v), width - 10, py(v) + 4, v, px(v), height - 22, v
      }
      printf "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">GPUs</text><path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"#999\" stroke-dasharray=\"4\"/>\n", width / 2, height - 6, px(1), py(1), px(most), py(most)
      for (l = 1; l <= lines; l++) {
        name = names[l]; path = ""
        for (p = 1; p <= points[name]; p++) path = path (p == 1 ? "M" : "L") sprintf("%.1f %.1f", px(x[name, p]), py(y[name, p]))
        printf "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/><text x=\"%d\" y=\"%d\" fill=\"%s\">%s, %.2f ×</text>\n", path, colour[1 + (l - 1) % colours], width, 10 + 18 * l, colour[1 + (l - 1) % colours], name, y[name, points[name]]
      }
      print "</svg>"
    }' "$out/gpus.csv" >"$out/gpus.svg"
}

scale() { # kind of data, name, workload, sets of devices, size, further options
  bench "$2" "$3" "$4" "$5" --csv "$out/$2.csv" --quiet "${@:6}" || return 1
  speedups "$1" "$out/$2.csv" >>"$out/gpus.csv"
}

# How much faster 2, 4 ... GPUs are than one, and beside the CPU: gpus.csv, and a chart, gpus.svg. Of frames, the best of three runs.
gpus() {
  local sets only set run best first='' wrong=0 repeat=()
  sets=$(sets_of_gpus | paste -sd ' ')
  only=${sets% *}
  echo 'data,workload,items,rounds,devices,contender,seconds,speed-up' >"$out/gpus.csv"
  scale computed gpus-nbody nbody "$only" 512Ki --policies adaptive,history --sweep 0 --repeat "${rounds:-9}" --warm-up 0.5 || wrong=1
  scale computed gpus-mandelbrot mandelbrot "$sets" 64Mi --set limit=8192 --policies adaptive,history --sweep 0 --repeat "${rounds:-15}" --warm-up 0.5 || wrong=1
  scale host gpus-memory tonemap,sum,histogram "$sets" 64Mi --policies adaptive,history --sweep "${SWEEP:-8}" --repeat "${rounds:-15}" --warm-up 0.5 || wrong=1
  scale resident gpus-resident sum "$only" "${RESIDENT:-4Gi}" --set resident=true --policies adaptive,history --sweep 0 --repeat "${rounds:-15}" --warm-up 1 || wrong=1
  [[ ${FRAMES:-} ]] || repeat=(--repeat 100)
  for set in $sets; do
    best=0
    for run in 1 2 3; do
      evener tonemap ${FRAMES:+"$FRAMES"} "${repeat[@]}" --devices "$set" --out "${PICTURES:-$out/frames}" >"$out/gpus-frames-$set-$run.txt" 2>&1 || wrong=1
      rm -rf "${PICTURES:-$out/frames}"
      best=$(sed -n 's|.*: \([0-9.]*\) frames/s.*|\1|p' "$out/gpus-frames-$set-$run.txt" | awk -v best="$best" 'NR == 1 && $1 > best { best = $1 } END { print best }')
    done
    first=${first:-$best}
    awk -v set="$set" -v best="$best" -v one="$first" 'BEGIN { if (best > 0) printf "files,frames,1,3,\"%s\",%s,%.6f,%.3f\n", set, set ~ /,/ ? "adaptive" : "single " set, 1 / best, best / one }' >>"$out/gpus.csv"
  done
  cut -c 1-150 "$out/gpus.csv"
  chart_of_speedups
  return $wrong
}

# Random programs on all GPUs, on two of them and beside the CPU; every workload, checked; a driver's calls at once.
storms() {
  local wrong=0 workload right='' set sets
  mapfile -t sets < <(sets_of_gpus | tail -n +2)
  program scheduler/opencl dev.evener.ChunksAtOnceProgram "$gpus" 2>/dev/null || wrong=1
  for set in "${sets[@]}"; do
    limit=$((${STORM:-600} + 60)) program scheduler/testing dev.evener.StormsTest "$set" "${STORM:-600}" "$RANDOM" >"$out/storms-$set.txt" 2>&1 &
  done
  wait
  for set in "${sets[@]}"; do
    if ! grep 'none wrong' "$out/storms-$set.txt"; then
      echo "storms on $set:"
      grep -E 'WRONG|Exception|Error|^\s+at dev|SIG' "$out/storms-$set.txt" | head -n 20
      wrong=1
    fi
  done
  for workload in $(evener run --list | awk 'NR > 1 && /^[a-z]/ { print $1 }'); do
    if limit=60 evener run "$workload" --size 1Mi --devices "$gpus" --policy static --verify --quiet >"$out/verified.txt" 2>&1; then
      right+=" $workload"
    else
      echo "$workload: $(tail -n 1 "$out/verified.txt" | cut -c 1-200)"
      wrong=1
    fi
  done
  echo "right:$right"
  return $wrong
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
  program workloads dev.evener.workloads.replay.SimulationAccuracy "$cpu,$gpu" 40 keep="$out" \
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
