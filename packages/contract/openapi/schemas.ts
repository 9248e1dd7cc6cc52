import { z } from "zod";

/** Shapes as JSON Schema 2020-12, as used by OpenAPI 3.1. Named ones are separate components. */
export class Schemas {
  readonly named: Record<string, object> = {};

  /** A reference, if the shape has a name. */
  of(shape: z.ZodType): JsonSchema {
    const { $schema: _, $defs: definitions = {}, ...schema } = z.toJSONSchema(shape, options);
    for (const [name, definition] of Object.entries(definitions)) this.#keep(name, definition);
    return redirected(schema) as JsonSchema;
  }

  #keep(given: string, definition: object): void {
    const name = ownName(given);
    const kept = name === jsonValue ? { description: "Any JSON value." } : (redirected(definition) as object);
    const known = this.named[name];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(kept))
      throw new Error(`Two different shapes have the id "${name}". Give one of them another.`);
    this.named[name] = kept;
  }
}

export function namedSchemas(shapes: readonly z.ZodType[]): Record<string, object> {
  const schemas = new Schemas();
  for (const shape of shapes) {
    if (shape.meta()?.id === undefined) throw new Error("A shape of the public API has no id.");
    schemas.of(shape);
  }
  return schemas.named;
}

export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
}

const options: Parameters<typeof z.toJSONSchema>[1] = {
  target: "draft-2020-12",
  // What can be sent. Responses may contain more than is described one day.
  io: "input",
  unrepresentable: "any",
  override: ({ jsonSchema }) => {
    // The format says it, and a 400-character pattern adds nothing.
    if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
    if (jsonSchema.propertyNames !== undefined) delete jsonSchema.propertyNames;
  },
};

function redirected(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redirected);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) =>
      name === "$ref" && typeof member === "string"
        ? [name, `#/components/schemas/${ownName(member.replace("#/$defs/", ""))}`]
        : [name, redirected(member)],
    ),
  );
}

/**
 * The only recursive shape without its own ID is `z.json()`; a second would clash with it. It is described without its
 * recursion, which allows nothing less, and which generators of types cannot express.
 */
const jsonValue = "JsonValue";

function ownName(name: string): string {
  return name.startsWith("__") ? jsonValue : name;
}
