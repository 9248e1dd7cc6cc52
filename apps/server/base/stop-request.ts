const secondSignalMs = 1_000;
const checkEveryMs = 500;

/** Why the server should stop: a signal, or the exit of its parent process. */
type StopReason = NodeJS.Signals | "the parent process exited";

let requested: Promise<StopReason> | null = null;

/**
 * Resolves when the process is asked to stop. First called before anything else is loaded: an unhandled signal ends the
 * process immediately, whatever it is doing.
 */
export function stopRequested(): Promise<StopReason> {
  requested ??= new Promise((resolve) => {
    let firstAtMs: number | null = null;
    const onSignal = (signal: NodeJS.Signals) => {
      // Ctrl-C reaches the whole process group and npm passes it on as well: two in quick succession count as one.
      if (firstAtMs !== null && performance.now() - firstAtMs > secondSignalMs) process.exit(130);
      firstAtMs ??= performance.now();
      resolve(signal);
    };
    process.on("SIGTERM", onSignal);
    process.on("SIGINT", onSignal);
  });
  return requested;
}

/** Resolves when the parent process with this ID has exited: if killed, it passes no signal on. */
export function parentEnded(parent: number): Promise<StopReason> {
  return new Promise((resolve) => {
    const look = () => {
      if (process.ppid === parent && isAlive(parent)) return;
      clearInterval(timer);
      resolve("the parent process exited");
    };
    const timer = setInterval(look, checkEveryMs);
    timer.unref();
    look();
  });
}

/** On Windows a process keeps its parent's ID forever. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** The exit code that shells report for a program that wrote to a closed pipe. */
const brokenPipe = 141;

/**
 * Handles errors on standard output and error, whose reader has exited or whose disk is full. A server keeps serving
 * without its log. Any other command whose reader has exited has nothing left to do.
 */
export function handleOutputErrors(isServer: boolean): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (isServer) return;
      if (error.code === "EPIPE") process.exit(brokenPipe);
      throw error;
    });
  }
}
