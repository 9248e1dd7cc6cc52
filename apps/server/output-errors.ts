/** What shells report for a program that wrote to a pipe which no one reads. */
const brokenPipe = 141;

/**
 * Decides what happens when standard output or error cannot be written, because its reader has ended or its disk is
 * full. A server keeps serving without its log. Another command whose reader has ended has nothing left to do.
 */
export function hearOutputErrors(isServer: boolean): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (isServer) return;
      if (error.code === "EPIPE") process.exit(brokenPipe);
      throw error;
    });
  }
}
