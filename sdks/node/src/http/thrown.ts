/**
 * What a callback of the app threw, as an error. `undefined` would otherwise count as no error, and Express treats some
 * strings as instructions, so that the request could continue.
 */
export function errorFrom(thrown: unknown, callback: string): Error {
  if (thrown instanceof Error) return thrown;
  return Object.assign(new Error(`${callback} failed, but not with an error: ${String(thrown)}.`), {
    cause: thrown,
  });
}
