import { id, time } from "@countersign/contract/api/shapes";
import { eventSummaries } from "@countersign/contract/events/events";
import { eventWebhooks } from "@countersign/contract/openapi/events";
import type { JsonSchema } from "@countersign/contract/openapi/schemas";

/** The events of the contract, reduced to what the SDKs' types need. */
export interface Events {
  readonly events: readonly EventShape[];
  /** Every object that an event contains, each before the objects that contain it. */
  readonly objects: readonly ObjectShape[];
}

export interface EventShape {
  /** Such as `license.ip_blocked`. */
  readonly type: string;
  /** Such as `LicenseIpBlocked`. */
  readonly name: string;
  readonly summary: string;
  /** The name of the object in `data`. */
  readonly data: string;
}

export interface ObjectShape {
  readonly name: string;
  readonly members: readonly Member[];
}

export interface Member {
  readonly name: string;
  readonly value: Value;
  readonly isOptional: boolean;
  readonly description: string | null;
}

export interface Value {
  readonly isNullable: boolean;
  readonly kind:
    | { readonly is: "text" | "time" | "whole number" | "number" | "boolean" | "null" | "JSON object" }
    | { readonly is: "one of"; readonly values: readonly (string | boolean)[] }
    | { readonly is: "list"; readonly of: Value }
    | { readonly is: "object"; readonly name: string };
}

export function readEvents(): Events {
  const { webhooks, components } = eventWebhooks();
  const reader = new Reader(components.schemas as Readonly<Record<string, JsonSchema>>);
  const events = eventSummaries.map(({ type, summary }) => {
    const content = webhooks[type]?.post.requestBody.content["application/json"];
    const data = content?.schema.properties?.data;
    if (data === undefined) throw new Error(`The event ${type} has no data.`);
    return { type, name: pascalCase(type), summary, data: reader.object(data, `${pascalCase(type)}Data`) };
  });
  return { events, objects: [...reader.objects.values()] };
}

class Reader {
  readonly objects = new Map<string, ObjectShape>();
  readonly #named: Readonly<Record<string, JsonSchema>>;

  constructor(named: Readonly<Record<string, JsonSchema>>) {
    this.#named = named;
  }

  /** Returns the name. Objects with the same members share one. */
  object(schema: JsonSchema, wantedName: string): string {
    const required = new Set(schema.required ?? []);
    const members = Object.entries(schema.properties ?? {}).map(([name, member]) => ({
      name,
      value: this.#value(member, name),
      isOptional: !required.has(name),
      description: ownDescription(member),
    }));
    const known = [...this.objects.values()].find((one) => isSame(one.members, members));
    if (known !== undefined) return known.name;
    if (this.objects.has(wantedName)) throw new Error(`Two different objects would be named ${wantedName}.`);
    this.objects.set(wantedName, { name: wantedName, members });
    return wantedName;
  }

  #value(schema: JsonSchema, memberName: string): Value {
    const { anyOf, type } = schema;
    if (anyOf !== undefined) {
      const [first, second, ...more] = anyOf;
      if (first === undefined || second?.type !== "null" || more.length > 0)
        throw new Error(`The member ${memberName} can be more than one thing.`);
      return { ...this.#value(first, memberName), isNullable: true };
    }
    if (Array.isArray(type)) {
      const isNullable = type.includes("null");
      const [only, ...more] = type.filter((one) => one !== "null");
      if (only === undefined || more.length > 0)
        throw new Error(`The member ${memberName} can be more than one thing.`);
      return { ...this.#value({ ...schema, type: only }, memberName), isNullable };
    }
    return { isNullable: false, kind: this.#kind(schema, memberName) };
  }

  #kind(schema: JsonSchema, memberName: string): Value["kind"] {
    if (schema.$ref !== undefined) return this.#reference(schema.$ref);
    if (schema.const !== undefined) return oneOf([schema.const], memberName);
    if (schema.enum !== undefined) return oneOf(schema.enum, memberName);
    switch (schema.type) {
      case "string":
        return { is: schema.format === "date-time" ? "time" : "text" };
      case "integer":
        return { is: "whole number" };
      case "number":
      case "boolean":
      case "null":
        return { is: schema.type };
      case "array":
        if (schema.items === undefined) throw new Error(`The list ${memberName} has items of any kind.`);
        return { is: "list", of: this.#value(schema.items, memberName) };
      case "object":
        if (schema.properties === undefined) return { is: "JSON object" };
        return { is: "object", name: this.object(schema, nameOfObject(schema, memberName)) };
      default:
        throw new Error(`The member ${memberName} has no type.`);
    }
  }

  #reference(reference: string): Value["kind"] {
    const name = reference.split("/").at(-1) ?? "";
    const schema = this.#named[name];
    if (schema === undefined) throw new Error(`There is no schema ${name}.`);
    return { is: "object", name: this.object(schema, name) };
  }
}

/** Null if it only says what every member of this type is. */
function ownDescription({ description }: JsonSchema): string | null {
  const isGeneral = description === undefined || generalDescriptions.has(description);
  return isGeneral ? null : description;
}

const generalDescriptions = new Set(
  [id, time].flatMap((shape) => {
    const description = shape.meta()?.description;
    return description === undefined ? [] : [description];
  }),
);

function oneOf(values: readonly unknown[], memberName: string): Value["kind"] {
  const known = values.filter((value) => typeof value === "string" || typeof value === "boolean");
  if (known.length !== values.length) throw new Error(`The member ${memberName} has values of another type.`);
  return { is: "one of", values: known };
}

function nameOfObject(schema: JsonSchema, memberName: string): string {
  if (memberName === "from" || memberName === "to") return "TransferHolder";
  const state = schema.properties?.state?.const;
  const name = `Event${pascalCase(memberName)}`;
  return typeof state === "string" ? pascalCase(`${state}_${memberName}`) : name;
}

function isSame(one: readonly Member[], other: readonly Member[]): boolean {
  const shapeOf = (members: readonly Member[]) =>
    JSON.stringify(members.map(({ name, value, isOptional }) => [name, value, isOptional]));
  return shapeOf(one) === shapeOf(other);
}

export function pascalCase(text: string): string {
  return text
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}

export function camelCase(text: string): string {
  const name = pascalCase(text);
  return name.charAt(0).toLowerCase() + name.slice(1);
}
