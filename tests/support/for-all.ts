import fc from "fast-check";

/** Checks as many generated examples of what the generators produce. A check cannot be async: nothing would await it. */
export function forAll<Example extends [unknown, ...unknown[]]>(
  examples: number,
  generators: { [Index in keyof Example]: fc.Arbitrary<Example[Index]> },
  check: (...example: Example) => unknown,
): void {
  const holds = (example: Example) => {
    const result = check(...example);
    if (result instanceof Promise) throw new Error("forAll does not await its checks.");
    return result !== false;
  };
  fc.assert(fc.property(fc.tuple<Example>(...generators), holds), { numRuns: examples });
}
