export type SpanKind = "server" | "client" | "internal";
export type Attributes = Record<string, string | number>;

/** The position of a span: the IDs of its trace and of itself. */
export interface SpanReference {
  readonly traceId: string;
  readonly spanId: string;
}

/** A span that has ended. It is passed between threads as JSON. */
export interface SpanRecord extends SpanReference {
  readonly parentId: string | null;
  readonly name: string;
  readonly kind: SpanKind;
  /** Milliseconds since 1970, with a fraction. */
  readonly startMs: number;
  readonly durationMs: number;
  readonly attributes: Readonly<Attributes>;
  readonly links: readonly SpanReference[];
  readonly failed: boolean;
}
