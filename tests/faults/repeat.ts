/** Repeats something, several times at once, until it is stopped: then each finishes what it does. */
export function repeat(
  act: () => Promise<unknown>,
  { atOnce = 1, pauseMs = 0 } = {},
): { stop(): Promise<unknown> } {
  let isStopped = false;
  const acting = Array.from({ length: atOnce }, async () => {
    while (!isStopped) {
      await act();
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  });
  return {
    stop: () => {
      isStopped = true;
      return Promise.all(acting);
    },
  };
}
