export interface IpsSearch {
  /** A network, in any notation. */
  in?: string | undefined;
  /** The minimum number of licenses. */
  min?: number | undefined;
}

export function ipsSearch(search: Record<string, unknown>): IpsSearch {
  return {
    in: search.in === undefined ? undefined : String(search.in),
    min: Number(search.min) > 1 ? Math.trunc(Number(search.min)) : undefined,
  };
}
