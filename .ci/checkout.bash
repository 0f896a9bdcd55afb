# What the launcher does in a checkout only, and sources there: building, `verify`, `docs` and `bundle`.

built=$state/evener-built
building=$state/evener-building

# shellcheck source=workloads/bundle/install.bash
source "$parts/install.bash"

# ---- JDK and Maven ---------------------------------------------------------------------------

jdk_advice() {
  if ! have apt-get; then
    echo "install a JDK (17 or newer) and Maven"
    return
  fi
  local package
  for package in openjdk-17-jdk-headless openjdk-21-jdk-headless openjdk-25-jdk-headless; do
    if apt-cache show "$package" >/dev/null 2>&1; then
      typed "apt-get install $package maven"
      return
    fi
  done
  echo "$(typed apt-get update) && $(typed apt-get install default-jdk-headless maven)"
}

# Building takes a whole JDK and Maven; running takes neither.
find_build_tools() {
  [[ -x $java_home/bin/javac ]] \
    || die "'$java_home' can run Java but not compile it. Type: $(jdk_advice)"
  maven=$(type -P mvn) || maven=$home/mvnw
  [[ -x $maven ]] || die "There is no Maven to build with. Type: $(jdk_advice)"
  export JAVA_HOME=$java_home
  # Maven's own libraries use what newer JDKs warn of.
  if ((java_major >= 24)); then
    export MAVEN_OPTS="${MAVEN_OPTS:-} --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow"
  fi
}

# ---- Building --------------------------------------------------------------------------------

# Built means: a build ran to its end, its jar is still there, and nothing that goes into it has changed since that build
# began. Folders count too, so that a deleted source is a change.
is_built() {
  [[ -f $built && -f $jar && -d ${jar%/*}/lib ]] || return 1
  local inputs=("$home/pom.xml" "$home/.mvn") pom
  for pom in "$home"/*/pom.xml "$home"/*/*/pom.xml; do
    if [[ -f $pom ]]; then inputs+=("$pom" "${pom%pom.xml}src/main"); fi
  done
  [[ -z $(find "${inputs[@]}" -newer "$built" -print -quit 2>/dev/null) ]]
}

clean() {
  local pom
  for pom in "$home"/*/pom.xml "$home"/*/*/pom.xml; do
    if [[ -f $pom ]]; then rm -rf -- "${pom%pom.xml}target"; fi
  done
}

# A build that was killed may leave half a class file that looks newer than its source.
begin_build() {
  if [[ -e $building ]]; then clean; fi
  rm -f -- "$built"
  : >"$building"
}

# The stamp keeps the time at which the build began: a source saved meanwhile is newer.
end_build() { mv -f -- "$building" "$built"; }

build() {
  is_built && return # by the start that held the lock before us
  log_file build
  if [[ -f $built && -f $jar ]]; then say "Building Evener, as its sources have changed ..."; else say "Building Evener (first start only) ..."; fi
  begin_build
  # Only what the command line needs: a first start downloads less.
  if ! (cd -- "$home" && "$maven" -q -B -Dquick -Dmaven.test.skip=true package -pl workloads -am) >"$log" 2>&1 </dev/null; then
    rm -f -- "$building"
    tail -n 15 -- "$log" >&2
    die "The build failed. All of its output: $log"
  fi
  end_build
}

ensure_built() {
  is_built && return
  if [[ ! -w $home || (-e $state && ! -w $state) ]]; then
    [[ -f $jar ]] || die "Evener is not built, and '$home' cannot be written to. Build it where it can, then copy it."
    return 0 # a read-only copy that lost its time stamps: what is there is all there will be
  fi
  find_build_tools
  locked build
}

# ---- Commands --------------------------------------------------------------------------------

bundle() {
  # shellcheck source=workloads/bundle/bundle.bash
  source "$parts/bundle.bash"
  make_bundle "$@"
}

# The documentation of what embedders use, made of the sources as they are.
docs() {
  if (($# > 0)); then
    [[ $1 == -h || $1 == --help ]] || wrong_usage docs "takes no '$1'"
    printf '%s\n' "Usage: ./evener docs [--help]" "Makes the Javadoc of all published modules, prints where it is, and shows it in a browser if there is one."
    return
  fi
  find_java
  find_build_tools
  log_file docs
  say "Making the documentation of the API ..."
  local page=$home/target/reports/apidocs/index.html
  (cd -- "$home" && "$maven" -q -B -Ppublish -Dquick -Dmaven.test.skip=true compile javadoc:aggregate \
    -pl '!kernels/reference,!workloads,!workloads/view,!workloads/frames,!workloads/lab') >"$log" 2>&1 </dev/null \
    || die "The documentation could not be made: $(tail -n 3 -- "$log"). All of the output: $log"
  echo "$page"
  if [[ -n ${DISPLAY:-}${WAYLAND_DISPLAY:-} ]] && have xdg-open; then xdg-open "$page" >/dev/null 2>&1; fi
}

submit() {
  # shellcheck source=workloads/spark/submit.bash
  source "$home/workloads/spark/submit.bash"
  submit "$@" # the one just read
}

# What the tests use beyond a JDK: two OpenCL platforms, a simulator that finds data races, a browser, and
# a video encoder. Tests of what a system
# has no package of say that they are not run.
install_test_tools() {
  local package wanted=(pocl-opencl-icd ocl-icd-libopencl1 mesa-opencl-icd oclgrind chromium ffmpeg) missing=() known=()
  if ! have dpkg-query; then
    say "Not a Debian-like system: for all tests, install PoCL, Rusticl, Oclgrind, Chromium and ffmpeg."
    return
  fi
  for package in "${wanted[@]}"; do
    # shellcheck disable=SC2016 # the dollar is dpkg's
    if [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true) != installed ]]; then
      missing+=("$package")
    fi
  done
  ((${#missing[@]} > 0)) || return 0
  if ! may_install; then
    say "Missing for some tests: ${missing[*]}. Type: $(typed "apt-get install ${missing[*]}")"
    return
  fi
  log_file install
  say "Installing what the tests need: ${missing[*]} ..."
  "${root[@]}" apt-get -q -y -o DPkg::Lock::Timeout=120 update >>"$log" 2>&1 </dev/null \
    || say "The package lists could not be refreshed (see $log)."
  for package in "${missing[@]}"; do
    if [[ -n $(apt-cache madison "$package" 2>/dev/null) ]]; then known+=("$package"); fi
  done
  ((${#known[@]} > 0)) || return 0
  apt_install "${known[@]}" || die "Installing ${known[*]} failed; see $log"
}

# Two modules at once: while one compiles, waits for devices that hang or runs a test of one thread, the other has the cores.
maven_two() {
  local code=0
  (cd -- "$home" && "$maven" -B -ntp -T2 "$@") </dev/null || code=$?
  echo # Maven may have left the cursor behind an escape sequence
  return "$code"
}

# From scratch: Maven would take classes that the first start compiled, without the checks, as done.
maven_build() {
  mkdir -p "$state"
  clean
  begin_build
  local code=0
  maven_two package -DskipTests "$@" || code=$?
  if ((code == 0)); then end_build; else rm -f -- "$building"; fi
  return "$code"
}

# Three parts of the stress tests, by names; the last is what is in neither. Each day has one, as of the situations of deployment.
stress_parts=('PoolTake|EndAside|Accesses' 'PoolRe|Ticket')
stress_parts+=("^(?!.*(${stress_parts[0]}|${stress_parts[1]}))")

# What uses the built jar as its users do. One day has a real bundle (launcher-test), the next publishing: each takes a minute of a processor.
scripts() {
  TURN=$turn "$home/.ci/launcher-test" || die "verify: FAILED in the launcher's tests, see above."
  [[ -n $turn && $((turn % 2)) == 0 ]] || MAVEN=$maven "$home/.ci/publish-test" || die "verify: FAILED in publishing, see above."
  TURN=$turn "$home/.ci/deployment-test" || die "verify: FAILED in a deployment, see above."
}

# What takes hours, one after the other.
nights() {
  "$home/.ci/kill-test" 300 && "$home/.ci/mixed-frames" 2000 && "$home/.ci/spring-test" && "$home/.ci/deployment-test" --long \
    || die "verify: FAILED in a script of the nights, see above."
}

# Prints the test classes that took most: seconds of processors, and seconds that passed while others ran too (ClassTimes). A limit
# in seconds that failed would fail slow machines.
say_what_is_slow() {
  local slow over
  slow=$(find "$home" -path '*/target/class-times' -exec sort -rn {} + | sort -rn | sed -n 1,20p)
  [[ -n $slow ]] || return 0
  printf 'evener: verify: the test classes that took most: seconds of processors, seconds that passed, class\n%s\n' "$slow"
  over=$(awk '$1 > 10' <<<"$slow" | wc -l)
  ((over == 0)) || say "verify: $over test classes are above the 10 s that CONTRIBUTING.md asks for."
}

# Says in a line each what tests were not run for want of.
say_what_was_not_run() {
  local reason
  while IFS= read -r reason; do
    say "verify: not run: $reason"
  done < <(find "$home" -path '*/target/surefire-reports/TEST-*.xml' -exec \
    sed -n 's/.*<skipped .*TestAbortedException: \(.*\)/\1/p' {} + | sort -u)
}

verify() {
  if [[ ${1:-} == -h || ${1:-} == --help ]]; then
    cat <<'HELP'
Usage: ./evener verify [MAVEN OPTIONS]
Installs what the tests need, where it may, builds everything with all checks and runs all tests.
Options go to Maven, for example: ./evener verify -Dtest='Scan*Test'
-Dlong has the tests try all they know, those tagged 'nightly' too; a short run has some in turn, others each day.
--nightly, as the first option, does that and runs the scripts that take hours.
-DskipTests runs no test and installs nothing for them.
--spark, as the first option, runs the tests of workloads/spark instead, and downloads Spark.
HELP
    return
  fi
  local start=$SECONDS tests=true nightly=false turn=$((EPOCHSECONDS / 86400)) stress=.* word
  if [[ ${1:-} == --nightly ]]; then nightly=true; set -- -Dlong "${@:2}"; fi
  [[ " $* " != *" -DskipTests "* ]] || tests=false
  for word in "$@"; do
    case $word in -Dturn=*) turn=${word#*=} ;; -Dlong*) turn= ;; esac
  done
  find_java
  find_build_tools
  ! $tests || locked install_test_tools
  if [[ ${1:-} == --spark ]]; then # beside what is built: nothing else knows of that module
    (cd -- "$home" && "$maven" -B -ntp -Pspark verify -pl workloads/spark -am -Dtest='dev/evener/spark/*Test' "${@:2}") </dev/null \
      || die "verify: FAILED in Maven's build or tests, see above."
    echo "evener: verify: Spark's module passed all checks in $((SECONDS - start)) s."
    return
  fi
  locked maven_build "$@" || die "verify: FAILED in Maven's build, see above."
  if $tests; then
    # The jar is there: the scripts run beside the tests. What they say comes last.
    log_file scripts
    if [[ -n $turn ]]; then # a long run has all, and what users have
      stress=${stress_parts[turn % 3]}
    fi
    (scripts) >"$log" 2>&1 &
    local others=$! maven_failed=0 scripts_failed=0
    maven_two verify "-Dstress.tests=$stress" "$@" || maven_failed=1
    wait "$others" || scripts_failed=1
    cat -- "$log"
    say_what_is_slow
    ((maven_failed == 0)) || die "verify: FAILED in Maven's tests, see above."
    ((scripts_failed == 0)) || exit 1 # and has said so
    say_what_was_not_run
    ! $nightly || nights
    echo "evener: verify: all checks passed in $((SECONDS - start)) s."
  else
    echo "evener: verify: built with all checks, and without tests, in $((SECONDS - start)) s."
  fi
}
