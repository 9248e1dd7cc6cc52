import { afterAll, beforeAll, describe } from "bun:test";
import { on, type TestedDatabase } from "./databases.ts";

/**
 * Tests with a fixture, on the database of the file. The fixture is complete before the first test and before the
 * `beforeAll` of the tests, and is closed after the last.
 */
export function testsOn<Fixture extends { close(): Promise<void> }>(
  kind: TestedDatabase["kind"],
  title: string,
  open: (make: TestedDatabase["make"]) => Promise<Fixture>,
  tests: (fixture: Fixture) => void,
): void {
  describe.each(on(kind))(`${title} on $kind`, ({ make }) => {
    const fixture = {} as Fixture;
    beforeAll(async () => {
      Object.assign(fixture, await open(make));
    });
    tests(fixture);
    afterAll(() => fixture.close());
  });
}
