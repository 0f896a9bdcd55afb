# The program's classes, ready to use, sourced by the launcher.

# Has the JVM map the program's classes, checked and linked, from an archive, which the first `tonemap` after a build, or of a
# bundle on a machine, makes; from JDK 25 on with what the JVM learnt of its methods in that run. Before, the archive is of the
# JDK's classes, too, as one of the program's alone has none of picocli's: they are as of Java 5. The JVM itself sees that an
# archive is of this JDK and these jars, and goes on without it if not; here it is told to compare the check sums as well, as it
# crashes on an archive that is damaged. On one that is cut short it crashes even so: its length is kept, and that of the jar, as
# all files of a bundle are of one time.
use_class_data() {
  local folder=$state archive made major='' bytes=0 size=0
  if $bundled; then folder=$cache/classes; fi
  archive=$folder/evener-classes.jsa made=$folder/evener-classes
  if $bundled && ! { (umask 077 && mkdir -p -- "$folder") 2>/dev/null && is_safe "$folder" 1; }; then return 0; fi
  if [[ $made -nt $jar ]]; then read_class_data; fi
  if [[ $major != "$java_major" && $1 == tonemap && -z ${EVENER_JAVA_OPTS:-} && -w $folder ]] && $needs_opencl; then
    make_class_data || true
    read_class_data
  fi
  if [[ $major == "$java_major" && -s $archive && $(wc -c <"$archive") -eq $bytes ]]; then
    if ((java_major >= 25)); then
      options=("-XX:AOTCache=$archive" "${options[@]}" "-Xlog:all=warning,cds*=off,aot*=off:stderr")
    else
      options=("-XX:SharedArchiveFile=$archive" "${options[@]}")
    fi
    options=(-XX:+VerifySharedSpaces "${options[@]}")
  fi
}

# Sets major and bytes. The latter is computed with, and [[ ]] would run what a damaged file has there: it must be a number.
read_class_data() {
  { read -r major bytes size <"$made"; } 2>/dev/null || true
  [[ $bytes =~ ^(0|[1-9][0-9]{0,17})$ ]] || major='' bytes=0
  if $bundled && [[ $size != "$(wc -c <"$jar")" ]]; then major=''; fi
}

# By a run of its own, as a JVM that cannot write an archive fails, and with a cache of its own, as it is no user's run: the second
# in it, which finds a history as later ones do. If it fails, it is not tried again for this build. Lambdas of picocli's interfaces
# are made at each start, as an archive with them would lack these, and with them a tenth of picocli.
make_class_data() {
  local part sample how each
  size=$(wc -c <"$jar")
  rm -rf -- "$folder"/evener-classes.?????? # of one that was killed
  part=$(mktemp -d "$folder/evener-classes.XXXXXX") || return 0
  printf '%s 0 %s\n' "$java_major" "$size" >"$made" || return 0
  how=-XX:DumpLoadedClassList=$part/list
  if ((java_major >= 25)); then how=-XX:AOTCacheOutput=$part/new.jsa; fi
  for sample in "${jar%/*}"/samples/*.hdr; do break; done
  for each in -XX:+VerifySharedSpaces "$how"; do
    EVENER_CACHE=$part timeout --foreground 120 "$java" -XX:+VerifySharedSpaces "$each" \
      "${options[@]}" -jar "$jar" tonemap "$sample" --out "$part" >/dev/null 2>&1 </dev/null || { rm -rf -- "$part"; return 0; }
  done
  if ((java_major >= 25)) || { grep -v '^@lambda-proxy.*picocli' "$part/list" >"$part/kept" \
    && timeout --foreground 120 "$java" -Xshare:dump "-XX:SharedClassListFile=$part/kept" \
      "-XX:SharedArchiveFile=$part/new.jsa" "${options[@]}" -jar "$jar" >/dev/null 2>&1 </dev/null; }; then
    mv -f -- "$part/new.jsa" "$archive" && printf '%s %d %s\n' "$java_major" "$(wc -c <"$archive")" "$size" >"$made"
  fi
  rm -rf -- "$part"
}
