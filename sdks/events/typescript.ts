import type { Events, Member, ObjectShape, Value } from "./shapes.ts";

/** `sdks/node/src/webhook-events.ts` */
export function typescriptFile({ events, objects }: Events): string {
  const interfaces = events.map(
    ({ type, name, summary, data }) =>
      `/** ${summary}. */\nexport interface ${name} extends EventOf<"${type}", ${data}> {}\n`,
  );
  return `// Generated from the contract by sdks/events. Do not edit.

/** A type that a newer server may send. Declared only: it narrows away when \`type\` is compared with a known one. */
export declare enum OtherEventType {
  Other = "",
}

export interface EventOf<Type, Data> {
  /** The same for every delivery of the event: store it, and process the event only once. */
  readonly id: string;
  readonly type: Type;
  /** When the event occurred. */
  readonly timestamp: Date;
  readonly data: Data;
}

export type OtherEvent = EventOf<OtherEventType, Readonly<Record<string, unknown>>>;

/** An event, by \`type\`. */
export type WebhookEvent =
${events.map(({ name }) => `  | ${name}`).join("\n")}
  | OtherEvent;

export type WebhookEventType = Exclude<WebhookEvent["type"], OtherEventType>;

${interfaces.join("\n")}
${objects.map(interfaceOf).join("\n")}`;
}

function interfaceOf({ name, members }: ObjectShape): string {
  return `export interface ${name} {\n${members.map(memberOf).join("")}}\n`;
}

function memberOf({ name, value, isOptional, description }: Member): string {
  const comment = description === null ? "" : `  /** ${description} */\n`;
  return `${comment}  readonly ${name}${isOptional ? "?" : ""}: ${typeOf(value)}${isOptional ? " | undefined" : ""};\n`;
}

function typeOf({ kind, isNullable }: Value): string {
  const type = kindOf(kind);
  return isNullable ? `${type} | null` : type;
}

function kindOf(kind: Value["kind"]): string {
  switch (kind.is) {
    case "text":
    case "time":
      return "string";
    case "whole number":
    case "number":
      return "number";
    case "boolean":
    case "null":
      return kind.is;
    case "JSON object":
      return "Readonly<Record<string, unknown>>";
    case "one of":
      return kind.values.map((value) => JSON.stringify(value)).join(" | ");
    case "list":
      return `readonly ${typeOf(kind.of)}[]`;
    case "object":
      return kind.name;
  }
}
