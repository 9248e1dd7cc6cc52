/** Told the text of a statement that was slow, which has placeholders for values, and how long it took. */
export type SlowStatementObserver = (sql: string, ms: number) => void;

const slowStatementMs = 250;

/** To be called with the end of a statement. Nothing else is done for those that are not slow. */
export function observeSlow(observer: SlowStatementObserver | undefined, sql: string, startMs: number): void {
  if (observer === undefined) return;
  const ms = performance.now() - startMs;
  if (ms >= slowStatementMs) observer(sql, ms);
}
