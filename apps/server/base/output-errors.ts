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
