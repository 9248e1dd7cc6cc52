import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A part of a schema. Only what is changed below has a type. */
interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  oneOf?: Schema[];
  enum?: string[];
  "x-kubernetes-group-version-kind"?: { group: string; version: string; kind: string }[];
}

/**
 * Writes a schema for each kind, from the description of its API that Kubernetes' source has, in the form that
 * kubeconform reads. Names that a kind does not have are refused.
 */
export function writeSchemas(swagger: string, folder: string, kinds: readonly string[]): void {
  const { definitions } = JSON.parse(readFileSync(swagger, "utf8")) as {
    definitions: Record<string, Schema>;
  };
  for (const [name, definition] of Object.entries(definitions)) strict(name, definition);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "_definitions.json"), JSON.stringify({ definitions }));
  for (const [name, { "x-kubernetes-group-version-kind": named = [] }] of Object.entries(definitions))
    for (const { group, version, kind } of named) {
      if (!kinds.includes(kind)) continue;
      // kubeconform names a group by its first part.
      const file = [kind, ...(group === "" ? [] : [group.split(".")[0]]), version].join("-").toLowerCase();
      const definition = definitions[name] ?? {};
      const properties = {
        ...definition.properties,
        kind: { type: "string", enum: [kind] },
        apiVersion: { type: "string", enum: [group === "" ? version : `${group}/${version}`] },
      };
      writeFileSync(
        join(folder, `${file}.json`),
        JSON.stringify({ ...definition, properties, required: ["apiVersion", "kind"] }),
      );
    }
}

function strict(name: string, schema: Schema): void {
  if (schema.properties !== undefined) schema.additionalProperties ??= false;
  // The description has only one type for each of these, whose values can be of both.
  if (schema.format === "int-or-string") {
    delete schema.format;
    schema.type = ["string", "integer"];
  }
  if (name.endsWith(".resource.Quantity")) schema.type = ["string", "number"];
  if (schema.$ref !== undefined) schema.$ref = schema.$ref.replace("#/", "_definitions.json#/");
  for (const property of Object.values(schema.properties ?? {})) strict("", property);
  if (schema.items !== undefined) strict("", schema.items);
  if (typeof schema.additionalProperties === "object") strict("", schema.additionalProperties);
}
