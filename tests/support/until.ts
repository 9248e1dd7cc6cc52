/** Polls until the condition is true. Fails with `what` at the deadline, which is a little before that of a test. */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  deadlineMs = 45_000,
): Promise<void> {
  const endMs = performance.now() + deadlineMs;
  while (!(await isSo())) {
    if (performance.now() > endMs) throw new Error(`Not within ${deadlineMs} ms: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The value of the promise, or a failure with `what` at the deadline. */
export async function within<T>(deadlineMs: number, what: string, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Not within ${deadlineMs} ms: ${what}.`)), deadlineMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
