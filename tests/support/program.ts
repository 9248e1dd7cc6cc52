import { execFileSync, spawn } from "node:child_process";

interface ProgramOptions {
  /** With which it is asked to stop. */
  readonly signal?: "KILL" | "INT";
  /** Is removed after it. */
  readonly folder?: string;
  /** Runs it as this user if the tests run as root, as which many servers refuse to run. */
  readonly insteadOfRoot?: string;
}

/** Starts a program that stops with this process, however that ends. */
export function startProgram(
  path: string,
  words: readonly string[],
  { signal = "KILL", folder = "", insteadOfRoot }: ProgramOptions = {},
) {
  const child = spawn("sh", ["-c", untilInputCloses, "sh", signal, folder, path, ...words], {
    ...(insteadOfRoot === undefined ? {} : userInsteadOfRoot(insteadOfRoot)),
    stdio: ["pipe", "ignore", "pipe"],
    cwd: "/",
    detached: true,
  });
  child.unref();
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors = (errors + chunk).slice(-1_000);
  });
  let end: { readonly code: number | null; readonly errors: string } | null = null;
  const closed = new Promise<void>((resolve) =>
    child.on("close", (code) => {
      end = { code, errors };
      resolve();
    }),
  );
  return {
    /** Its exit code and the end of what it wrote to standard error. Null while it runs. */
    get end() {
      return end;
    },
    stop: async () => {
      child.stdin.end();
      await closed;
    },
  };
}

/** Empty if the tests do not run as root. */
export function userInsteadOfRoot(name: string): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync("id", [flag, name], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

/**
 * The operating system closes standard input when this process ends. The watcher is a separate process, because the test
 * runner kills its own children when a test times out.
 */
const untilInputCloses = `
  signal=$1; folder=$2; shift 2
  exec 3<&0
  "$@" & program=$!
  (
    cat <&3 > /dev/null
    kill -s $signal $program
    while kill -0 $program 2> /dev/null; do sleep 0.05; done
    cd / && rm -rf "$folder"
  ) &
  wait $program
`;
