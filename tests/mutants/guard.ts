import { basename, join } from "node:path";

/** The result of the tests of one file. */
interface GuardResult {
  /** The first test that failed. Null if none did. */
  readonly failedTest: string | null;
  /** Why the tests say nothing, such as a compiler error. */
  readonly problem: string | null;
  readonly output: string;
}

/** Longer than any file takes. A fault may make a test wait forever, and then it has been caught. */
const guardTimeoutMs = 10 * 60_000;

/** Runs the tests of a file in a folder until one fails. */
export async function runGuard(
  folder: string,
  path: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<GuardResult> {
  const command = commandFor(folder, path);
  if (Bun.which(command[0]) === null) {
    const problem = `${basename(command[0])} is not installed. npm test installs what the tests of the SDKs need.`;
    return { failedTest: null, problem, output: "" };
  }
  const child = Bun.spawn(command, {
    cwd: path.endsWith(".py") ? join(folder, "sdks/python") : folder,
    env: { ...process.env, ...environment, COUNTERSIGN_BUN: process.execPath, PYTHONDONTWRITEBYTECODE: "1" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    // Its own process group, so that no server of a test that hangs outlives it.
    detached: true,
  });
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    killGroup(child.pid);
  }, guardTimeoutMs);
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  clearTimeout(timer);
  killGroup(child.pid);
  const output = `${stdout}${stderr}`;
  if (code === 0) return { failedTest: null, problem: null, output };
  const failedTest = timedOut ? "the tests did not end" : firstFailure(output);
  const problem = failedTest === null ? `it exited with ${code} without a failed test` : null;
  return { failedTest, problem, output };
}

function commandFor(folder: string, path: string): [program: string, ...words: string[]] {
  if (path.endsWith(".py")) {
    const words = ["-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", join(folder, path)];
    return [join(folder, "sdks/python/.venv/bin/python"), ...words];
  }
  if (path.endsWith(".java")) {
    const module = path.split("/")[1] ?? "java";
    const words = ["-B", "-ntp", "-o", "-f", join(folder, "sdks/pom.xml"), "-pl", module, "-am", "test"];
    const only = [`-Dtest=${basename(path, ".java")}`, "-Dsurefire.failIfNoSpecifiedTests=false"];
    return ["mvn", ...words, ...only];
  }
  if (/^sdks\/(?:express|nestjs|node)\/tests\/(?!.*\.test\.ts$)/.test(path))
    return ["node", join(folder, "sdks/check.mjs"), join(folder, "sdks/reports"), path.slice("sdks/".length)];
  return [process.execPath, "test", "--timeout=60000", "--bail", `./${path}`];
}

/** The name of the first failed test, as its runner prints it. */
function firstFailure(output: string): string | null {
  const patterns = [
    /^\(fail\) (.*?)(?: \[[\d.]+m?s\])?$/m,
    /^FAILED (?:\S+::)?(.*?)(?: - .*)?$/m,
    /^\[ERROR\] {3}(\S+?:\d+.*|\S+\.\S+.*)$/m,
    /^\s*✖ (.*?)(?: \([\d.]+ms\))?$/m,
  ];
  return patterns.map((pattern) => pattern.exec(output)?.[1]).find((name) => name !== undefined) ?? null;
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // No process of the group is left.
  }
}
