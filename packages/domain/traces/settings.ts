/** Where traces are sent, and which: the standard settings of OpenTelemetry. */
export interface TraceSettings {
  /** The complete URL. */
  readonly url: string;
  readonly protocol: TraceProtocol;
  readonly headers: Readonly<Record<string, string>>;
  readonly sampler: TraceSampler;
  /** What is the same in all traces of this process, `service.name` included. */
  readonly resource: Readonly<Record<string, string>>;
}

type TraceProtocol = "http/protobuf" | "http/json";

export interface TraceSampler {
  /** Whether a caller that sends `traceparent` decides. */
  readonly followsParent: boolean;
  /** The share of all other traces that is kept, from 0 to 1. */
  readonly ratio: number;
}

/** What is wrong with a setting: a sentence that says what is right. */
export class TraceSettingProblem extends Error {
  override readonly name = "TraceSettingProblem";
}

/** Null if no endpoint is set, or if OpenTelemetry is switched off. */
export function readTraceSettings(setting: (name: string) => string | null): TraceSettings | null {
  const url = traceUrl(setting);
  const isOff =
    setting("OTEL_SDK_DISABLED")?.toLowerCase() === "true" || setting("OTEL_TRACES_EXPORTER") === "none";
  if (url === null || isOff) return null;
  const general = pairs("OTEL_EXPORTER_OTLP_HEADERS", setting("OTEL_EXPORTER_OTLP_HEADERS"));
  const forTraces = pairs("OTEL_EXPORTER_OTLP_TRACES_HEADERS", setting("OTEL_EXPORTER_OTLP_TRACES_HEADERS"));
  const resource = pairs("OTEL_RESOURCE_ATTRIBUTES", setting("OTEL_RESOURCE_ATTRIBUTES"));
  const name = setting("OTEL_SERVICE_NAME") ?? resource["service.name"] ?? "countersign";
  return {
    url,
    protocol: traceProtocol(setting),
    headers: { ...general, ...forTraces },
    sampler: traceSampler(setting("OTEL_TRACES_SAMPLER"), setting("OTEL_TRACES_SAMPLER_ARG")),
    resource: { ...resource, "service.name": name },
  };
}

function traceUrl(setting: (name: string) => string | null): string | null {
  const whole = setting("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
  if (whole !== null) return httpUrl("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", whole);
  const base = setting("OTEL_EXPORTER_OTLP_ENDPOINT");
  if (base === null) return null;
  return `${httpUrl("OTEL_EXPORTER_OTLP_ENDPOINT", base).replace(/\/+$/, "")}/v1/traces`;
}

function httpUrl(name: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "") return text;
  throw new TraceSettingProblem(
    `${name} is "${text}". It must be a URL, such as http://127.0.0.1:4318, without a query.`,
  );
}

function traceProtocol(setting: (name: string) => string | null): TraceProtocol {
  const forTraces = setting("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL");
  const name = forTraces === null ? "OTEL_EXPORTER_OTLP_PROTOCOL" : "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL";
  const text = forTraces ?? setting(name) ?? "http/protobuf";
  if (text === "http/protobuf" || text === "http/json") return text;
  throw new TraceSettingProblem(`${name} is "${text}". It should be http/protobuf or http/json.`);
}

const samplers: Readonly<Record<string, { followsParent: boolean; ratio: number | null }>> = {
  always_on: { followsParent: false, ratio: 1 },
  always_off: { followsParent: false, ratio: 0 },
  traceidratio: { followsParent: false, ratio: null },
  parentbased_always_on: { followsParent: true, ratio: 1 },
  parentbased_always_off: { followsParent: true, ratio: 0 },
  parentbased_traceidratio: { followsParent: true, ratio: null },
};

function traceSampler(kind: string | null, argument: string | null): TraceSampler {
  const name = kind ?? "parentbased_always_on";
  const known = Object.hasOwn(samplers, name) ? samplers[name] : undefined;
  if (known === undefined)
    throw new TraceSettingProblem(
      `OTEL_TRACES_SAMPLER is "${name}". It should be one of: ${Object.keys(samplers).join(", ")}.`,
    );
  return { followsParent: known.followsParent, ratio: known.ratio ?? ratioOf(argument ?? "1") };
}

function ratioOf(text: string): number {
  const ratio = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (ratio >= 0 && ratio <= 1) return ratio;
  throw new TraceSettingProblem(`OTEL_TRACES_SAMPLER_ARG is "${text}". It should be a number from 0 to 1.`);
}

/** `name=value,name=value`, with percent-encoded values. Values can be secrets, so they are not repeated. */
function pairs(setting: string, text: string | null): Record<string, string> {
  const valuesByName: Record<string, string> = {};
  for (const part of (text ?? "").split(",")) {
    if (part.trim() === "") continue;
    const [, name, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(part) ?? [];
    const decoded = value === undefined ? null : decodedOf(value);
    if (name === undefined || decoded === null)
      throw new TraceSettingProblem(
        `${setting} is invalid. It must look like name=value,name=value, with special characters percent-encoded.`,
      );
    valuesByName[name] = decoded;
  }
  return valuesByName;
}

function decodedOf(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
