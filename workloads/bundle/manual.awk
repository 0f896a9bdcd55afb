# A command's --help as a manual page; `name` and `version` are given.

function roff(text) {
  gsub(/\\/, "\\e", text)
  gsub(/-/, "\\-", text)
  return (text ~ /^[.']/ ? "\\&" : "") text
}

function begin(    short) {
  if (begun++) return
  short = about
  if (match(short, /\. [A-Z]/)) short = substr(short, 1, RSTART)
  sub(/\.$/, "", short)
  printf ".TH %s 1 \"\" \"evener %s\"\n.SH NAME\n%s \\- %s\n", toupper(name), version, name, roff(short)
  printf ".SH SYNOPSIS\n%s\n.SH DESCRIPTION\n%s\n", roff(usage), roff(about)
}

# A heading that nothing follows is left out.
function content() {
  begin()
  if (heading != "") print ".SH " toupper(heading) (heading == "Examples" ? "\n.nf" : "")
  heading = ""
}

/^ *$/ { next }
/^Usage: / && usage == "" { usage = substr($0, 8); next }
/^[A-Z].*:$/ && length($0) < 32 { begin(); if (examples) print ".fi"; heading = substr($0, 1, length($0) - 1); examples = heading == "Examples"; next }
/^[^ ]/ && !begun { about = about (about == "" ? "" : " ") $0; next }
examples || !/^ / { content(); print roff($0); next }
/^ ? ? ? ? ? ?[^ ]/ { # what is explained, and behind two blanks or on the next line how
  content()
  sub(/^ */, "")
  at = match($0, /   */) ? RSTART : length($0) + 1
  printf ".TP\n\\fB%s\\fR\n", roff(substr($0, 1, at - 1))
  $0 = substr($0, at)
}
/[^ ]/ { sub(/^ */, ""); print roff($0) }
END { begin() }
