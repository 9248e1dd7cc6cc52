import type { JsonSchema } from "@countersign/contract/openapi/schemas";
import { type Components, type Operation, resolved } from "./document.ts";

/** A call that can be pasted into a terminal. */
export function curlExample(
  method: string,
  path: string,
  operation: Operation,
  components: Components,
): string {
  const lines = [`curl${method === "get" ? "" : ` -X ${method.toUpperCase()}`} '$COUNTERSIGN${path}'`];
  const isPublic = operation.security?.some((scheme) => "productApiKey" in scheme) === true;
  const takesToken = operation.security?.some((scheme) => "accessToken" in scheme) === true;
  if (isPublic || takesToken) lines.push(`-H 'Authorization: Bearer ${isPublic ? "csk_…" : "cst_…"}'`);
  else if ((operation.security ?? []).length > 0)
    lines.push(`-H "Origin: $COUNTERSIGN" -H 'Cookie: __Host-countersign.session_token=…'`);
  const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  if (type !== undefined && content !== undefined) {
    lines.push(`-H 'Content-Type: ${type}'`);
    if (type === "application/json") {
      const body = JSON.stringify(sample(content.schema, components, 0), null, 2);
      lines.push(`-d '${body.replaceAll("'", "'\\''")}'`);
    } else {
      lines.push("--data-binary @file");
    }
  }
  return lines.join(" \\\n  ").replace("'$COUNTERSIGN", `"$COUNTERSIGN"'`);
}

const deepest = 8;

/** An example of a schema with its required members; with all of them if none is required. */
function sample(given: JsonSchema, components: Components, depth: number): unknown {
  const schema =
    given.$ref === undefined ? given : resolved<JsonSchema & object>({ $ref: given.$ref }, components);
  if (depth > deepest) return null;
  if (schema.default !== undefined && schema.default !== null) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const choice = schema.anyOf?.[0] ?? schema.oneOf?.[0];
  if (choice !== undefined) return sample(choice, components, depth + 1);
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case "object": {
      const properties = Object.entries(schema.properties ?? {});
      const required = properties.filter(([name]) => schema.required?.includes(name));
      const shown =
        required.length > 0 ? required : properties.filter(([name]) => name !== "updated_at").slice(0, 2);
      return Object.fromEntries(
        shown.map(([name, property]) => [name, known[name] ?? sample(property, components, depth + 1)]),
      );
    }
    case "array":
      return schema.items === undefined ? [] : [sample(schema.items, components, depth + 1)];
    case "integer":
    case "number":
      return Math.max(1, schema.minimum ?? 1);
    case "boolean":
      return true;
    case "string":
      return schema.format === "date-time" ? "2031-01-02T03:04:05Z" : "…";
    default:
      return null;
  }
}

/** Realistic values. */
const known: Readonly<Record<string, unknown>> = {
  name: "Waveform Studio",
  email: "ada@example.com",
  customer_email: "ada@example.com",
  license_key: "7GQ4-9KXM-2WDP-RT6B",
  cidr: "203.0.113.0/24",
  version: "2.1.0",
  reason: "The customer asked for a refund.",
};
