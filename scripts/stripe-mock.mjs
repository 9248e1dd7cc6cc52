import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** Knows the version of Stripe's API that the library uses. */
const version = "v0.203.0";

/** Outside of the repository, so that every clone and every run uses the same one. */
const cache = join(
  process.env.XDG_CACHE_HOME || join(homedir(), ".cache"),
  "countersign",
  `stripe-mock-${version}`,
);
const name = process.platform === "win32" ? "stripe-mock.exe" : "stripe-mock";

export const howToGetStripeMock =
  "it needs Go 1.22 or later, to install Stripe's test server. Install it (on Debian: apt-get install golang-go, or from https://go.dev/dl), and add it to PATH.";

/** The path of Stripe's own test server, which checks every request against Stripe's API. Null without Go. */
export function ensureStripeMock() {
  const program = join(cache, name);
  if (existsSync(program)) return program;
  if (spawnSync("go", ["version"], { stdio: "ignore" }).status !== 0) return null;
  process.stderr.write("Installing Stripe's test server (once) …\n");
  mkdirSync(cache, { recursive: true });
  // Built in another folder and renamed once complete, because test files run in parallel.
  const folder = mkdtempSync(join(cache, "build-"));
  try {
    // Go compiles its standard library, too. Optimizing both would take longer than all that the tests ask.
    const quick = ["-gcflags=all=-N -l", "-ldflags=-s -w"];
    const result = spawnSync("go", ["install", ...quick, `github.com/stripe/stripe-mock@${version}`], {
      env: { ...process.env, GOBIN: folder, CGO_ENABLED: "0" },
      stdio: ["ignore", "pipe", "pipe"],
      encoding: "utf8",
    });
    if (result.status !== 0) {
      process.stderr.write(`${result.stdout}${result.stderr}Stripe's test server could not be installed.\n`);
      return null;
    }
    renameSync(join(folder, name), program);
    return program;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
