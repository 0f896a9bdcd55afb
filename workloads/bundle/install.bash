# Installing on this machine, sourced by the launcher where there is no OpenCL runtime, and for building and testing.

# Sets `root` to the prefix of a command that needs root: nothing, or password-less sudo.
may_install() {
  [[ ${EVENER_NO_INSTALL:-} == 1 ]] && return 1
  root=(env)
  ((EUID == 0)) && return
  root=(sudo -n)
  have sudo && sudo -n true 2>/dev/null
}

# A file for the output of what runs behind a one-line message, also where the checkout is read-only. A bundle keeps its state in
# the cache, which may be another user's, and a link there may lead anywhere; whoever may write to a checkout is trusted.
log_file() {
  if mkdir -p -- "$state" 2>/dev/null && [[ -w $state ]] && { ! $bundled || is_safe "$state"; }; then
    log=$state/$1.log
    rm -f -- "$log"
  else
    log=$(mktemp "${TMPDIR:-/tmp}/evener-$1.XXXXXX")
  fi
  : >"$log"
}

# Package lists are refreshed only when the install fails without: that saves a fresh machine nothing and every other machine
# many seconds.
apt_install() {
  local apt=("${root[@]}" DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=120)
  "${apt[@]}" --no-install-recommends install "$@" >>"$log" 2>&1 </dev/null && return
  "${apt[@]}" update >>"$log" 2>&1 </dev/null || true
  "${apt[@]}" --no-install-recommends install "$@" >>"$log" 2>&1 </dev/null
}

# Runs a function while no other start of this checkout builds or installs. The lock is on the directory itself, so that nothing
# can delete it, and a child that outlives a killed start keeps it.
locked() {
  (
    if have flock && ! flock -n 9; then
      say "Waiting for another start of Evener that builds or installs ..."
      flock 9 || true
    fi
    "$@"
  ) 9<"$home"
}

install_runtime() {
  has_opencl && return # by the start that held the lock before us
  log_file install
  say "$missing; installing ${packages[*]} (EVENER_NO_INSTALL=1 prevents this) ..."
  if ! apt_install "${packages[@]}"; then
    if [[ $log == "$state"/* ]]; then rm -f -- "$state/evener-no-runtime" && touch -- "$state/evener-no-runtime"; fi
    say "That failed (see $log); going on without OpenCL, on the JVM. To try by hand, type: $advice"
  fi
}

# Installs what there is not of OpenCL, or says how. Never fatal: without OpenCL the built-in primitives run on the JVM. Sets
# `told` if the user knows that by now, so that Java does not say it again.
add_opencl() {
  local missing="No OpenCL runtime on this machine" packages=(pocl-opencl-icd ocl-icd-libopencl1) other=pocl
  local advice="install PoCL, or the OpenCL runtime of your GPU's vendor"
  if ((${#icds[@]} > 0)); then
    missing="There is an OpenCL driver on this machine, but no loader to find it by, libOpenCL.so.1"
    packages=(ocl-icd-libopencl1) other=ocl-icd advice="install the ICD loader ocl-icd"
  fi
  if have apt-get; then advice=$(typed "apt-get install ${packages[*]}")
  elif have dnf; then advice=$(typed "dnf install $other")
  elif have pacman; then advice=$(typed "pacman -S $other"); fi
  # Where the install failed today, do not make every start wait for it to fail again.
  if have apt-get && [[ -z $(find "$state/evener-no-runtime" -mmin -1440 2>/dev/null) ]] && may_install; then
    locked install_runtime
    has_opencl || told=true
  elif ! $quiet; then
    told=true
    say "$missing; going on without, on the JVM. To add one, type: $advice"
  fi
}
