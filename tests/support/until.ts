/** Asks again and again until the answer is yes; fails with `what` when the deadline passes first. */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  deadlineMs = 20_000,
): Promise<void> {
  const endMs = performance.now() + deadlineMs;
  while (!(await isSo())) {
    if (performance.now() > endMs) throw new Error(`Not within ${deadlineMs} ms: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The promise's value, or a failure that says what did not come in time. */
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
