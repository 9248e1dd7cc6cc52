"""Starts a program under the filter of system calls of a unit, as user 65532: UNIT PROGRAM [ARGUMENT...]"""

import ctypes
import os
import re
import subprocess
import sys

import seccomp

unit, *command = sys.argv[1:]
listing = subprocess.run(["systemd-analyze", "syscall-filter"], capture_output=True, text=True, check=True).stdout
groups, group = {}, None
for line in listing.splitlines():
    if line.startswith("@"):
        group = groups.setdefault(line.strip(), [])
    elif line.startswith("    ") and not line.strip().startswith("#"):
        group.append(line.strip())


def expand(name):
    if not name.startswith("@"):
        return {name}
    return set().union(*(expand(part) for part in groups[name]))


# As in systemd: what the first line allows, without what later lines deny, and always what every program needs.
allowed = set()
with open(unit, encoding="utf-8") as lines:
    for words in re.findall(r"^SystemCallFilter=(.*)$", lines.read(), re.MULTILINE):
        named = set().union(*(expand(word) for word in words.removeprefix("~").split()))
        allowed = allowed - named if words.startswith("~") else allowed | named
allowed |= expand("@default")

filter = seccomp.SyscallFilter(seccomp.ERRNO(1))
for name in sorted(allowed):
    try:
        filter.add_rule(seccomp.ALLOW, name)
    except (RuntimeError, ValueError, OSError):
        pass  # Not a call of this kind of processor.
os.setgid(65532)
os.setuid(65532)
no_new_privileges = 38
ctypes.CDLL(None).prctl(no_new_privileges, 1, 0, 0, 0)
filter.load()
os.execv(command[0], command)
