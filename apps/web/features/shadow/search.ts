/** The changes that can be tried. */
export const changeTypes = ["max_ips", "registration", "block_version", "block_ip"] as const;
export type ChangeType = (typeof changeTypes)[number];

/** What a link fills in. */
export interface ShadowSearch {
  readonly change?: ChangeType | undefined;
  /** The limit, version or network. */
  readonly value?: string | undefined;
}

export function shadowSearch(search: Record<string, unknown>): ShadowSearch {
  // The router reads `3` and `2.1` as numbers.
  const value = typeof search.value === "number" ? String(search.value) : search.value;
  return {
    change: changeTypes.find((type) => type === search.change),
    value: typeof value === "string" && value !== "" ? value : undefined,
  };
}
