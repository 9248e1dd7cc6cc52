import { countLicenses, licensePage, licensePageText } from "./queries/license-list.ts";
import type { Store } from "./store.ts";

/**
 * What takes several statements to read, by name. Where another thread reads, it is asked for the whole of it: to put
 * the statements together takes as long as to run them, and every way there and back costs too. What goes in and what
 * comes out is plain data that JSON keeps as it is.
 */
export const readings = { licensePage, licensePageText, countLicenses };

/** What they read from. */
export type ReadFrom = Pick<Store, "reads" | "alongIndexes" | "searchLicenses">;

export type ReadingName = keyof typeof readings;
type Reading<N extends ReadingName> = (typeof readings)[N];
export type Given<N extends ReadingName> =
  Parameters<Reading<N>> extends [ReadFrom, ...infer Rest] ? Rest : never;
export type Answer<N extends ReadingName> = Awaited<ReturnType<Reading<N>>>;

export function readFrom<N extends ReadingName>(
  from: ReadFrom,
  name: N,
  given: Given<N>,
): Promise<Answer<N>> {
  const reading = readings[name] as unknown as (from: ReadFrom, ...given: Given<N>) => Promise<Answer<N>>;
  return reading(from, ...given);
}
