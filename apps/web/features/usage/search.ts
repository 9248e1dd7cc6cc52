/** In days. The longest is as long as counts are kept. */
export const historyLengths = [30, 90, 396] as const;
export type HistoryLength = (typeof historyLengths)[number];
