# shellcheck shell=sh
# What both scripts share. POSIX sh will do: dash, busybox, bash.

umask 077
LC_ALL=C TZ=UTC
export LC_ALL TZ

number=0
case $(date +%N) in
'' | *[!0-9]*) fraction= ;;
*) fraction=.%N ;;
esac
now() { date -u +"%Y-%m-%dT%H:%M:%S${fraction}Z"; }

if sleep 0.01 2>/dev/null; then tick=0.1; else tick=; fi

if command -v sha256sum >/dev/null 2>&1; then
  sum() { sha256sum "$@"; }
else
  sum() { shasum -a 256 "$@"; }
fi

# begin DIRECTORY: make the folder that everything goes into.
begin() {
  if [ -e "$1" ]; then
    echo "$1 exists already: name another folder with -o" >&2
    exit 1
  fi
  mkdir -p "$1/.run" || exit 1
  out=$(cd "$1" && pwd)
  free=$(df -Pk "$out" | awk 'NR == 2 { print $4 }')
  if [ "${free:-0}" -lt 524288 ]; then
    echo "less than 512 MiB are free in $1: name another folder with -o" >&2
    rmdir "$1/.run" "$1"
    exit 1
  fi
  printf 'begin\tend\tstatus\tfile\tsha256\tcommand\n' >"$out/commands.tsv"
  trap 'echo "interrupted: what there is, is kept" >&2; finish; exit 130' INT TERM
}

# quoted WORD...: the words as a shell would take them.
quoted() {
  separator=
  for word in "$@"; do
    case $word in
    '' | *[!A-Za-z0-9_./:=,@%+-]*) printf "%s'%s'" "$separator" "$word" ;;
    *) printf '%s%s' "$separator" "$word" ;;
    esac
    separator=' '
  done
}

# record BEGIN STATUS FILE COMMAND...: a line of commands.tsv.
record() {
  started=$1 status=$2 file=$3
  shift 3
  checksum=-
  if [ -f "$out/$file" ]; then
    checksum=$(sum <"$out/$file")
    checksum=${checksum%% *}
  fi
  printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$started" "$(now)" "$status" "$file" "$checksum" "$*" >>"$out/commands.tsv"
}

# run FILE SECONDS COMMAND...: keep what a command prints, and how it ended.
run() {
  shown=$(shift 2 && quoted "$@")
  keep "$shown" "$@"
}

# keep SHOWN FILE SECONDS COMMAND...: the same, with other words for the command.
# What hangs in the kernel cannot even be killed: it is left behind, with the
# status 124. A program that is not there has 127, and no file.
keep() {
  shown=$1 name=$2 limit=$3
  shift 3
  begin_time=$(now)
  if ! command -v "$1" >/dev/null 2>&1; then
    record "$begin_time" 127 - "$shown"
    return
  fi
  echo "$name" >&2
  target=$out/$name
  mkdir -p "${target%/*}"
  number=$((number + 1))
  state=$out/.run/$number
  {
    "$@" >"$target" 2>"$target.stderr" </dev/null &
    echo $! >"$state.pid"
    wait $!
    echo $? >"$state"
  } 2>/dev/null &
  tenths=0
  until [ -s "$state" ] || [ "$tenths" -ge $((limit * 10)) ]; do
    if [ -n "$tick" ] && [ "$tenths" -lt 20 ]; then
      sleep "$tick"
      tenths=$((tenths + 1))
    else
      sleep 1
      tenths=$((tenths + 10))
    fi
  done
  ended=124
  if [ -s "$state" ]; then
    ended=$(cat "$state")
  else
    pid=$(cat "$state.pid")
    kill "$pid" 2>/dev/null
    sleep 1
    kill -9 "$pid" 2>/dev/null
  fi
  if [ ! -s "$target.stderr" ]; then rm -f "$target.stderr"; fi
  record "$begin_time" "$ended" "$name" "$shown"
}

# finish: checksums, and one archive.
finish() {
  trap - INT TERM
  rm -rf "$out/.run"
  # shellcheck disable=SC2094 # find leaves it out
  (cd "$out" && find . -type f ! -name SHA256SUMS | sort | while read -r file; do sum "$file"; done >SHA256SUMS)
  tar -C "${out%/*}" -czf "$out.tar.gz" "${out##*/}" && sum "$out.tar.gz"
}
