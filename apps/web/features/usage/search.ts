/** In days. The longest is as long as counts are kept. */
export const historyLengths = [30, 90, 396] as const;
export type HistoryLength = (typeof historyLengths)[number];

export interface UsageSearch {
  readonly days?: HistoryLength | undefined;
  /** Undefined for all products. */
  readonly product?: string | undefined;
}
