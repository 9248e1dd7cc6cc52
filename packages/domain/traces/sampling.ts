import type { TraceSampler } from "./settings.ts";
import type { TraceParent } from "./traceparent.ts";

const steps = 2 ** 48;

/**
 * Whether a trace is kept. Without a parent that decides, its random part decides: 48 bits near the end of the trace ID.
 * So every server that samples the same share makes the same choice.
 */
export function isSampled(sampler: TraceSampler, parent: TraceParent | null, randomPart: number): boolean {
  if (parent !== null && sampler.followsParent) return parent.isSampled;
  return randomPart >= (1 - sampler.ratio) * steps;
}

/** Hexadecimal digits 18 to 29 of the 32 of a trace ID. */
export function randomPartOf(traceId: string): number {
  return Number.parseInt(traceId.slice(18, 30), 16);
}
