import type { TraceSampler } from "./settings.ts";

/** The position in a trace that a caller sends, by the W3C recommendation on trace context. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const noTrace = "0".repeat(32);
const noSpan = "0".repeat(16);

/** Null if there is no valid header: then a new trace begins. */
export function parseTraceParent(header: string | null): TraceParent | null {
  if (header === null || header.length > 256) return null;
  const [, version = "", traceId = "", spanId = "", flags = "", rest] = pattern.exec(header.trim()) ?? [];
  // Later versions may append to it, the present one may not.
  if (traceId === "" || version === "ff" || (version === "00" && rest !== undefined)) return null;
  if (traceId === noTrace || spanId === noSpan) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function traceParentHeader(traceId: string, spanId: string): string {
  return `00-${traceId}-${spanId}-01`;
}

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
