# `./evener verify` in a bundle that was made with --tests, sourced by the launcher: runs the compiled tests on this
# machine's own devices, with the bundle's own Java, in several processes at once.

# Few enough that no process is left alone at the end, and that one that breaks down takes few others with it.
classes_of_a_process=3

verify_help() {
  cat <<'HELP'
Usage: ./evener verify [--processes N] [--limit SECONDS] [--output FOLDER] [PATTERN...]
Runs the tests that the bundle brings on the devices of this machine. They expect two devices on the first
platform and one on the second (docs/deploying.md).
  PATTERN            only test classes whose full name contains one of these
  --processes N      so many at once; by default a quarter of the cores
  --limit SECONDS    ends processes that take longer, with what each thread was at; by default 3600
  --output FOLDER    where each process's output goes; by default a new one in the temporary folder
Each process runs a few classes, and the next begins when one ends.
HELP
}

# A whole number above 0, as the value of an option.
need_number() {
  [[ $2 =~ ^[1-9][0-9]{0,6}$ ]] || wrong_usage verify "$1 takes a whole number above 0, not '$2'"
}

verify_options() {
  processes=$(($(nproc 2>/dev/null || echo 4) / 4)) limit=3600 output='' patterns=()
  ((processes > 0)) || processes=1
  while (($# > 0)); do
    case $1 in
      --processes | --limit)
        need_number "$1" "${2:-}"
        if [[ $1 == --limit ]]; then limit=$2; else processes=$2; fi
        shift
        ;;
      --output)
        output=${2:-}
        [[ -n $output ]] || wrong_usage verify "--output takes the name of a folder"
        shift
        ;;
      -*) wrong_usage verify "unknown option '$1'" ;;
      *) patterns+=("$1") ;;
    esac
    shift
  done
}

# Lines of a module and a class each, of the test classes that are wanted.
wanted_tests() {
  local module class pattern
  while read -r module class; do
    class=${class//\//.}
    for pattern in "${patterns[@]:-}"; do
      if [[ $class == *"$pattern"* ]]; then echo "$module $class"; break; fi
    done
  done < <(cd -- "$tests" && find . -name '*Test.class' ! -name '*$*' -printf '%P\n' | sort | sed -n 's:/test-classes/\(.*\)\.class$: \1:p')
}

# One process: the classes of one module in a file. In the module's folder, as some tests read documents. One that takes too long
# prints its threads before it is killed.
run_part() {
  local module=$1 list=$2 name=${2##*/} code=0
  local path='' entry
  while IFS= read -r entry; do path+=${path:+:}$tests/$entry; done <"$tests/$module/class-path"
  (
    cd -- "$tests/$module"
    export EVENER_CACHE=$output/cache-$name
    [[ ! -r $java_home/lib/libjsig.so ]] || export LD_PRELOAD=$java_home/lib/libjsig.so
    # shellcheck disable=SC2086 # options are split at blanks on purpose
    exec timeout -s QUIT -k 5 "$limit" "$java" -XX:+IgnoreUnrecognizedVMOptions --enable-native-access=ALL-UNNAMED \
      -XX:ErrorFile="$output/$name.crash" ${EVENER_JAVA_OPTS:-} -cp "$path" org.junit.platform.console.ConsoleLauncher execute \
      --disable-banner --disable-ansi-colors --details=tree --config=jqwik.database="$output/jqwik-$name" @"$list"
  ) >"$output/$name.txt" 2>&1 </dev/null || code=$?
  echo "$code" >"$output/$name.code"
}

# What a process says at its end: "[  12 tests failed  ]".
counted() {
  sed -n "s/^\[ *\([0-9]*\) tests $2 *\]$/\1/p" "$1" | tail -n 1
}

report_part() {
  local name=$1 file=$output/$1.txt code found failed
  code=$(<"$output/$name.code")
  found=$(counted "$file" found)
  failed=$(counted "$file" failed)
  if [[ -z $found ]]; then
    echo "$name: did not end (code $code), see $file:"
    sed 's/^--select-class=/    /' "$output/$name"
    broken=$((broken + 1))
    return
  fi
  echo "$name: $found tests, ${failed:-0} failed"
  all=$((all + found))
  bad=$((bad + ${failed:-0}))
  if ((failed > 0)); then grep -E '^ +(JUnit|MethodSource)|=>' "$file" | sed 's/^ */    /' || true; fi
}

verify_bundle() {
  if [[ ${1:-} == -h || ${1:-} == --help ]]; then
    verify_help
    return
  fi
  ensure_nvidia_icd
  tests=$home/tests
  verify_options "$@"
  if [[ -n $output ]]; then mkdir -p -- "$output"; else output=$(mktemp -d "${TMPDIR:-/tmp}/evener-verify.XXXXXX"); fi
  output=$(cd -- "$output" && pwd)
  local module class i=0 at='' name='' names=() in=0 all=0 bad=0 broken=0
  while read -r module class; do
    if [[ $module != "$at" ]] || ((in == classes_of_a_process)); then
      at=$module in=0
      name=${module//\//_}-$((${#names[@]} + 1))
      names+=("$name")
      : >"$output/$name"
    fi
    echo "--select-class=$class" >>"$output/$name"
    in=$((in + 1))
    i=$((i + 1))
  done < <(wanted_tests)
  ((i > 0)) || die "verify: no test class matches '${patterns[*]}'."
  say "Running $i test classes in ${#names[@]} processes, $processes at once; their output goes to $output ..."
  for name in "${names[@]}"; do
    while (($(jobs -rp | wc -l) >= processes)); do wait -n || true; done
    module=${name%-*}
    run_part "${module//_//}" "$output/$name" &
  done
  wait
  for name in "${names[@]}"; do report_part "$name"; done
  ((bad + broken == 0)) || die "verify: $bad of $all tests failed, $broken processes did not end. Output: $output"
  echo "evener: verify: all $all tests passed in $SECONDS s."
}
