# `./evener bundle`, sourced by the launcher: Evener, its libraries, experiments and samples, and a Java runtime cut
# down to what they use, in one archive for machines that have no JDK.

bundle_help() {
  cat <<'HELP'
Usage: ./evener bundle [--output FILE] [--force] [--no-samples] [--tests] [--quiet]
Makes an archive that runs on other Linux machines of this architecture without a JDK. It takes a JDK
with jlink and half a minute.
  --output FILE  the archive; by default evener-VERSION-linux-ARCH.tar.gz in the current folder. One whose
                 name ends in .xz is a fifth smaller, and takes xz and a minute more
  --force        overwrite the archive if there is one
  --no-samples   leave the sample frames out
  --tests        put the tests in as well: `./evener verify` of the bundle runs them there
  --quiet        print nothing but warnings and errors
HELP
}

bundle_options() {
  output='' force=false samples=true tests=false quiet=false
  while (($# > 0)); do
    case $1 in
      --output | --output=*)
        if [[ $1 == *=* ]]; then output=${1#*=}; else output=${2:-}; shift; fi
        [[ -n $output ]] || wrong_usage bundle "--output takes the name of a file"
        ;;
      --force) force=true ;;
      --no-samples) samples=false ;;
      --tests) tests=true ;;
      --quiet) quiet=true ;;
      *) wrong_usage bundle "unknown argument '$1'" ;;
    esac
    shift
  done
}

# What would fail half a minute later.
check_output() {
  [[ $output == /* ]] || output=$PWD/$output
  local folder=${output%/*}/ part
  [[ ! -d $output ]] || die "'$output' is a folder. Give --output the name of a file."
  [[ -d $folder ]] || die "There is no folder '$folder' to write '${output##*/}' to. Make it first, or give another --output."
  [[ -w $folder ]] || die "'$folder' cannot be written to. Give another --output."
  for part in "$home"/{evener,LICENSE} "$parts"/* "$jar" "${jar%/*}"/{lib,experiments,samples}/*; do
    [[ ! $output -ef $part ]] || wrong_usage bundle "--output: '$output' is '$part', which goes into the bundle; name another file"
  done
  [[ $output != *.xz ]] || command -v xz >/dev/null || die "There is no xz. Install it, or give --output a name that ends in .tar.gz."
  [[ ! -e $output ]] || $force || die "'$output' exists. Give --force to overwrite it, or another --output."
}

source_commit() {
  local commit
  if [[ ! -e $home/.git ]] || ! commit=$(git -C "$home" rev-parse HEAD 2>/dev/null); then
    echo unknown
  elif [[ -n $(git -C "$home" status --porcelain 2>/dev/null) ]]; then
    echo "$commit, with changes that are not committed"
  else
    echo "$commit"
  fi
}

# No compression by jlink: that of the archive does better, and classes load faster without.
# --strip-debug would need objcopy. jdk.jfr is there to measure with. Neither tool runs long enough for the JVM's second compiler.
link_runtime() {
  local modules line='' short=(-J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC)
  if ! modules=$("$java_home/bin/jdeps" "${short[@]}" -q --multi-release "$java_major" --ignore-missing-deps \
    --module-path "${jar%/*}/lib" --print-module-deps "$jar" "${jar%/*}"/lib/*.jar "${@:2}" 2>&1) \
    || ! "$java_home/bin/jlink" "${short[@]}" --add-modules "$modules,jdk.jfr" --strip-java-debug-attributes \
      --no-man-pages --no-header-files --generate-cds-archive --output "$1" >"$log" 2>&1 </dev/null; then
    [[ -s $log ]] || printf '%s\n' "$modules" >"$log"
    IFS= read -r line <"$log" || true
    die "The JDK '$java_home' makes no runtime: ${line%.}. Set JAVA_HOME to one with jlink and its" \
      "jmods (Debian and Ubuntu: openjdk-17-jdk-headless; Fedora: java-17-openjdk-jmods; or a JDK of Temurin)."
  fi
}

# What tests of the sources themselves need, which have nothing to find on another machine, and take a sixth of the archive.
of_sources='(archunit|jazzer)[a-z0-9-]*-[0-9.]+\.jar$'

# The class path of a module's tests, an entry a line, as places in the bundle's folder of tests, to which those of its
# libraries are copied that the bundle does not have already.
class_path() {
  local module=$2 entry
  printf '%s\n' "$module/test-classes" "$module/classes"
  while IFS= read -r -d : entry; do
    case $entry in
      "$home"/*/target/*classes)
        entry=${entry#"$home"/}
        echo "${entry/\/target\///}"
        ;;
      *)
        [[ ! $entry =~ $of_sources ]] || continue
        if [[ -e ${jar%/*}/lib/${entry##*/} ]]; then
          echo "../lib/${entry##*/}"
        else
          [[ -e $1/lib/${entry##*/} ]] || cp -- "$entry" "$1/lib/"
          echo "lib/${entry##*/}"
        fi
        ;;
    esac
  done < <(cat -- "$home/$module/target/test-class-path" && printf :)
}

modules=(scheduler scheduler/opencl scheduler/policies scheduler/testing scheduler/metrics scheduler/record scheduler/simulation kernels kernels/imaging kernels/reference workloads/view workloads/frames workloads/lab workloads)

# Compiled tests, what they need, and the documents and sources that some of them read. Kept as in a checkout.
add_tests() {
  local module folder
  find_build_tools
  (cd -- "$home" && "$maven" -q -B -Dquick -pl "$(IFS=, && echo "${modules[*]}")" test-compile \
    dependency:build-classpath -DincludeScope=test -Dmdep.outputFile=target/test-class-path) >"$log" 2>&1 </dev/null \
    || die "The tests could not be built: $(tail -n 3 -- "$log")"
  mkdir -p -- "$1/lib"
  cp -R -- "$home/docs" "$home/README.md" "$1/"
  for module in "${modules[@]}"; do
    mkdir -p -- "$1/$module/src"
    cp -R -- "$home/$module/target/classes" "$1/$module/"
    [[ -d $home/$module/src/test ]] || continue # kernels, whose tests are in kernels/reference
    cp -R -- "$home/$module/target/test-classes" "$1/$module/"
    find "$1/$module/test-classes" \( -name 'ArchitectureTest*.class' -o -name '*FuzzTest*.class' \) -delete
    cp -R -- "$home/$module/src/test" "$1/$module/src/"
    class_path "$1" "$module" >"$1/$module/class-path"
  done
  folder=scheduler/testing/src/main/java/dev/evener/testing # whose Javadoc a test reads
  mkdir -p -- "$1/$folder"
  cp -- "$home/$folder/package-info.java" "$1/$folder/"
  cp -R -- "${jar%/*}/samples" "${jar%/*}/experiments" "$1/workloads/"
  cp -- "$parts/verify.bash" "$1/"
}

# A manual page of each command, from what its --help says where lines may be long. picocli's own way leads over AsciiDoc, and
# Asciidoctor wants a Ruby.
add_manual() {
  local command name
  mkdir -p -- "$1"
  for command in '' $("$home/evener" --help | sed -n '/^Commands:/,/^$/ s/^  \([a-z][a-z-]*\) .*/\1/p'); do
    name=evener${command:+-$command}
    EVENER_JAVA_OPTS='-Dpicocli.usage.width=9999 -XX:TieredStopAtLevel=1' "$home/evener" ${command:+"$command"} --help \
      | awk -v name="$name" -v version="$version" -f "$parts/manual.awk" >"$1/$name.1" || die "The manual page of '$name' could not be made."
  done
}

# The newest version of the C library that anything in the runtime asks for.
needed_glibc() {
  grep -aohrE 'GLIBC_[0-9]+\.[0-9]+' -- "$1/bin" "$1/lib" | sort -uV | tail -n 1 | cut -d _ -f 2
}

make_bundle() {
  if [[ ${1:-} == -h || ${1:-} == --help ]]; then
    bundle_help
    return
  fi
  [[ $OSTYPE == linux* ]] || die "Bundles are made on Linux, for Linux."
  bundle_options "$@"
  find_java
  ensure_built
  local tool version name root glibc size
  for tool in jdeps jlink; do
    [[ -x $java_home/bin/$tool ]] || die "'$java_home' has no bin/$tool. Set JAVA_HOME to a whole JDK, or type: $(jdk_advice)"
  done
  version=$("$java" -jar "$jar" --version)
  version=${version#evener }
  name=evener-$version
  output=${output:-$name-linux-$HOSTTYPE.tar.gz}
  check_output

  work=$(mktemp -d "${TMPDIR:-/tmp}/evener-bundle.XXXXXX")
  partial=$output.part.$$
  trap 'rm -rf -- "$work" "$partial"' EXIT
  log=$work/log
  root=$work/$name
  $quiet || say "Making the bundle ..."
  mkdir -- "$root"
  if $tests; then
    add_tests "$root/tests"
    link_runtime "$root/runtime" "$root"/tests/lib/*.jar "$root"/tests/{*,*/*}/test-classes
  else
    link_runtime "$root/runtime"
  fi
  cp -R -- "$home/evener" "$home/LICENSE" "$parts/README" "$parts/NOTICE" "$parts/install.bash" "$parts/classes.bash" \
    "$jar" "${jar%/*}/lib" "${jar%/*}/experiments" "$root/"
  add_manual "$root/share/man/man1"
  if $samples; then cp -R -- "${jar%/*}/samples" "$root/"; fi
  glibc=$(needed_glibc "$root/runtime")
  {
    echo "version: $version"
    echo "commit: $(source_commit)"
    echo "platform: Linux on $HOSTTYPE, glibc $glibc or newer"
    grep -E '^(JAVA_VERSION|IMPLEMENTOR)=' -- "$java_home/release" || true
  } >"$root/VERSION"
  local compress=(gzip -n)
  [[ $output != *.xz ]] || compress=(xz -T0)
  # Names in order, no owners, one time (that of the build, pom.xml): one input gives one archive.
  tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mode=u+rw,go+r-w,a+X --mtime=2026-01-01T00:00:00Z \
    -cf - -- "$name" | "${compress[@]}" >"$partial" || die "'$output' could not be written."
  mv -f -- "$partial" "$output"
  $quiet && return
  size=$(wc -c <"$output")
  echo "$output: $(((size + 524288) / 1048576)) MiB, for Linux on $HOSTTYPE with glibc $glibc or newer. Copy it there and type:"
  printf '  tar -xf %q\n' "${output##*/}"
  echo "  ./$name/evener devices"
}
