import type { JsonSchema } from "@countersign/contract/openapi/schemas";

/** The part of the OpenAPI document that the page shows. */
export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Answer | Reference>>;
}

interface Reference {
  readonly $ref: string;
  readonly description?: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
}

export interface Answer {
  readonly description: string;
  readonly content?: Content;
}

type Content = Readonly<Record<string, { readonly schema: JsonSchema; readonly example?: unknown }>>;

/** What an endpoint receives. */
export type WebhookOperation = Pick<
  Operation,
  "operationId" | "summary" | "parameters" | "requestBody" | "responses"
>;

export type Components = Readonly<Record<string, Readonly<Record<string, object>>>>;

/** Resolves a reference, which can have a description of its own. */
export function resolved<T extends object>(thing: T | Reference, components: Components): T {
  if (!("$ref" in thing)) return thing;
  const { description } = thing;
  const [kind = "", name = ""] = thing.$ref.replace("#/components/", "").split("/");
  const component = components[kind]?.[name];
  if (component === undefined) throw new Error(`${thing.$ref} leads nowhere.`);
  return (description === undefined ? component : { ...component, description }) as T;
}

export function schemaName(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}
