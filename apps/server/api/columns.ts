/** The input as columns: omitted members stay omitted, true and false become 1 and 0. */
export function asColumns<T extends object>(body: T): Columns<T> {
  const entries = Object.entries(body).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return [[name, typeof value === "boolean" ? (value ? 1 : 0) : value]];
  });
  return Object.fromEntries(entries) as Columns<T>;
}

type Columns<T> = { [K in keyof T]?: Column<Exclude<T[K], undefined>> };
type Column<V> = V extends boolean ? 0 | 1 : V;
