import fc from "fast-check";

/** Checks as many generated examples of what the generators produce. */
export function forAll<Example extends [unknown, ...unknown[]]>(
  examples: number,
  generators: { [Index in keyof Example]: fc.Arbitrary<Example[Index]> },
  check: (...example: Example) => unknown,
): void {
  const holds = (example: Example) => check(...example) !== false;
  fc.assert(fc.property(fc.tuple<Example>(...generators), holds), { numRuns: examples });
}
