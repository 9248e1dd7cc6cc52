import { expect } from "bun:test";
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../support/free-port.ts";
import { Missing, run } from "./checks.ts";

const root = join(import.meta.dir, "../..");
const { executables } = await import(join(root, "scripts/build-executable.mjs"));
/** The server, and the commands that a service or its timer runs. */
const script = `
mount -t proc -o subset=pid,hidepid=invisible proc /proc
cd "$FOLDER"
limited() { /usr/bin/python3 "$LIMIT" "$UNIT" "$PROGRAM" "$@"; }
/usr/bin/python3 "$LIMIT" "$UNIT" "$PROGRAM" serve > log & server=$!
for attempt in $(seq 100); do limited health > health 2>&1 && break; sleep 0.1; done
cat health
limited setup --email you@example.com --password "a long password" --organization A --product B --json > setup
limited doctor | tail -1
limited backup backup | head -1
limited integrity-process data "" 60000 | head -c 60; echo
kill $server; wait $server; echo "exit $?"; cat log
`;

/** Starts the executable with the system calls and the view of /proc that the unit gives it. */
export async function checkServiceSandbox(unit: string, folder: string): Promise<void> {
  const name = `linux-${process.arch}`;
  if (process.platform !== "linux" || !Object.hasOwn(executables, name) || process.getuid?.() !== 0)
    throw new Missing("it needs root on Linux.");
  if (spawnSync("/usr/bin/python3", ["-c", "import seccomp"]).status !== 0)
    throw new Missing("it needs python3-seccomp. Install it (on Debian: apt-get install python3-seccomp).");
  run("npm", ["run", "--silent", "build:executable", "--", name], { cwd: root });
  const home = join(folder, "service");
  mkdirSync(home);
  for (const path of [folder, home]) chmodSync(path, 0o755);
  chownSync(home, 65_532, 65_532);
  run("cp", [join(root, "dist", `countersign-${name}`), join(folder, "countersign")]);
  writeFileSync(join(folder, "service.sh"), script);
  const env = {
    PATH: process.env.PATH,
    PORT: String(await freePort()),
    FOLDER: home,
    LIMIT: join(import.meta.dir, "system-calls.py"),
    UNIT: unit,
    PROGRAM: join(folder, "countersign"),
  };
  const words = ["--mount", "--pid", "--fork", "--mount-proc", "sh", join(folder, "service.sh")];
  const printed = run("unshare", words, { env });
  expect(printed).toStartWith("ready\n");
  for (const part of [
    "\nEverything is fine.\n",
    "complete and verified",
    '"countersign.db ',
    "\nexit 0\n",
    "Stopped.",
  ])
    expect(printed).toContain(part);
}
