import { describe, expect, test } from "bun:test";
import { readTraceSettings } from "./settings.ts";

type Environment = Readonly<Record<string, string>>;
const read = (environment: Environment) => readTraceSettings((name) => environment[name] ?? null);
const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" };

test.each<[string, Environment]>([
  ["without an endpoint", { OTEL_SERVICE_NAME: "a", OTEL_TRACES_SAMPLER: "always_on" }],
  ["if OpenTelemetry is disabled", { ...endpoint, OTEL_SDK_DISABLED: "true" }],
  ["without an exporter", { ...endpoint, OTEL_TRACES_EXPORTER: "none" }],
])("traces are off %s", (_, environment) => expect(read(environment)).toBeNull());

test("the defaults are those of OpenTelemetry", () => {
  expect(read(endpoint)).toEqual({
    url: "http://127.0.0.1:4318/v1/traces",
    protocol: "http/protobuf",
    headers: {},
    sampler: { followsParent: true, ratio: 1 },
    resource: { "service.name": "countersign" },
  });
});

test.each<[Environment, object]>([
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: "https://otel.example.com/base/" },
    { url: "https://otel.example.com/base/v1/traces" },
  ],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://example.com/t" }, { url: "https://example.com/t" }],
  [
    { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc", OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/json" },
    { protocol: "http/json" },
  ],
  [
    { OTEL_EXPORTER_OTLP_HEADERS: "a=1, b = two%2C ", OTEL_EXPORTER_OTLP_TRACES_HEADERS: "a=x=y" },
    { headers: { a: "x=y", b: "two," } },
  ],
  [{ OTEL_TRACES_SAMPLER: "always_off" }, { sampler: { followsParent: false, ratio: 0 } }],
  [
    { OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.01" },
    { sampler: { followsParent: true, ratio: 0.01 } },
  ],
  [{ OTEL_RESOURCE_ATTRIBUTES: "service.name=a,zone=b" }, { resource: { "service.name": "a", zone: "b" } }],
  [
    { OTEL_RESOURCE_ATTRIBUTES: "service.name=a", OTEL_SERVICE_NAME: "own" },
    { resource: { "service.name": "own" } },
  ],
])("the valid settings %j are used", (environment, settings) =>
  expect(read({ ...endpoint, ...environment })).toMatchObject(settings),
);

describe("invalid values", () => {
  const sampled = { ...endpoint, OTEL_TRACES_SAMPLER: "traceidratio" };

  test.each<[string, string]>([
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "127.0.0.1:4318"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "grpc://127.0.0.1:4317"],
    ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://127.0.0.1/?a=b"],
    ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"],
    ["OTEL_TRACES_SAMPLER", "toString"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "no-value"],
    ["OTEL_RESOURCE_ATTRIBUTES", "a=%"],
    ["OTEL_TRACES_SAMPLER_ARG", "1.5"],
    ["OTEL_TRACES_SAMPLER_ARG", "-1"],
    ["OTEL_TRACES_SAMPLER_ARG", ""],
    ["OTEL_TRACES_SAMPLER_ARG", "half"],
  ])("errors name %s=%s", (name, value) => expect(() => read({ ...sampled, [name]: value })).toThrow(name));

  test("the refusal of a header does not repeat its value, which is a secret", () =>
    expect(() => read({ ...endpoint, OTEL_EXPORTER_OTLP_HEADERS: "key=%secret" })).not.toThrow("secret"));
});
