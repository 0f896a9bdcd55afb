# `./evener submit`: a program of evener-spark.jar on a Spark cluster.

submit_help() {
  cat <<'HELP'
Usage: ./evener submit [SPARK-SUBMIT OPTIONS] tonemap [OPTIONS] IN OUT
Runs spark-submit of SPARK_HOME, or the one on PATH, with the plugin and what executors need in their environment, and prints the
command, for example: ./evener submit --master spark://host:7077 tonemap hdfs:///in hdfs:///out
Options of tonemap: --operator NAME, --partitions N, --incremental. Settings are in docs/spark.md.
HELP
}

build_spark_jar() {
  [[ ! -f $spark_jar || -n $(find "$home"/{scheduler,scheduler/opencl,kernels,workloads/frames,workloads/spark}/src/main -newer "$spark_jar" -print -quit) ]] \
    || return 0
  log_file build-spark
  say "Building evener-spark.jar ..."
  if ! (cd -- "$home" && "$maven" -q -B -Dquick -Dmaven.test.skip=true -Pspark package -pl workloads/spark -am) \
    >"$log" 2>&1 </dev/null; then
    tail -n 15 -- "$log" >&2
    die "The build failed. All of its output: $log"
  fi
  touch -- "$spark_jar"
}

submit() {
  local spark_jar=$home/workloads/spark/target/evener-spark.jar spark options=() main=() name chaining
  while (($# > 0)) && [[ $1 != tonemap ]]; do
    case $1 in
      -h | --help) submit_help; return ;;
      --*=* | -v | --verbose | --supervise | --version | --usage-error | --load-spark-defaults) ;;
      -*) if (($# > 1)); then options+=("$1"); shift; fi ;; # the next word is its value, whatever it says
    esac
    options+=("$1")
    shift
  done
  (($# > 0)) || { say "submit: which program? There is tonemap."; submit_help >&2; exit 2; }
  shift
  main=(--class dev.evener.spark.Tonemap)
  if [[ -n ${SPARK_HOME:-} ]]; then
    spark=$SPARK_HOME/bin/spark-submit
    [[ -x $spark ]] || die "SPARK_HOME is '$SPARK_HOME', where there is no bin/spark-submit. Set it to a Spark 4.0 or newer."
  else
    spark=$(type -P spark-submit) || die "There is no spark-submit. Set SPARK_HOME to a Spark 4.0 or newer."
  fi
  find_java
  find_build_tools
  locked build_spark_jar
  main+=(--conf spark.plugins=dev.evener.spark.EvenerPlugin)
  # Settings of OpenCL in this shell hold for executors too, but for places, which are this machine's.
  for name in $(compgen -e); do
    case $name in
      POCL_* | RUSTICL_*) [[ ${!name} == */* ]] || main+=(--conf "spark.executorEnv.$name=${!name}") ;;
    esac
  done
  # PoCL and the JVM share signals (docs/deploying.md) by a library of the executor's own JDK: the linker finds it beside that
  # program, and a YARN node by a variable of its own. An image for Kubernetes brings its setting.
  case " ${options[*]-} " in
    *[\ =]yarn\ *) chaining='{{JAVA_HOME}}/lib/libjsig.so' ;;
    *[\ =]k8s:*) chaining= ;;
    *) chaining=\$ORIGIN/../lib/libjsig.so ;;
  esac
  [[ -z $chaining ]] || main+=(--conf "spark.executorEnv.LD_PRELOAD=$chaining" --conf spark.executorEnv._JAVA_SR_SIGNUM=50)
  chaining=$java_home/lib/libjsig.so
  if [[ -r $chaining && $chaining != *[:\ ]* ]]; then
    export LD_PRELOAD=$chaining${LD_PRELOAD:+:$LD_PRELOAD} # for local[n], where the driver is the executor
  fi
  set -- "$spark" "${main[@]}" ${options[@]+"${options[@]}"} "$spark_jar" "$@"
  { printf '%q ' "$@"; echo; } >&2
  exec "$@"
}
