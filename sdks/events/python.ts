import type { EventShape, Events, Member, ObjectShape, Value } from "./shapes.ts";

/** `sdks/python/src/countersign/webhook_events.py` */
export function pythonFile({ events, objects }: Events): string {
  return `# Generated from the contract by sdks/events. Do not edit.
"""The events that webhooks deliver, one class per type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypedDict


@dataclass(frozen=True)
class WebhookEvent:
    """An event. Use \`\`isinstance\`\` to find out which one. A type that is not known here is only a WebhookEvent."""

    #: The same for every delivery of the event: store it, and process the event only once.
    id: str
    type: str
    #: When the event occurred.
    timestamp: datetime
    data: Mapping[str, Any]
${objects.map(typedDict).join("")}${events.map(eventClass).join("")}

EVENT_CLASSES: Mapping[str, type[WebhookEvent]] = {
${events.map(({ type, name }) => `    "${type}": ${name},\n`).join("")}}
`;
}

function eventClass({ type, name, summary, data }: EventShape): string {
  return `

@dataclass(frozen=True)
class ${name}(WebhookEvent):
${docstring(`${summary}.`)}
    type: Literal["${type}"]
    data: ${data}
`;
}

/** `NotRequired` is newer than the oldest supported Python: optional members are in a class of their own. */
function typedDict({ name, members }: ObjectShape): string {
  const required = members.filter(({ isOptional }) => !isOptional);
  const optional = members.filter(({ isOptional }) => isOptional);
  const needsCalls = members.some(({ name }) => keywords.has(name));
  if (needsCalls) return functionalTypedDict(name, members);
  if (optional.length === 0) return `\n\nclass ${name}(TypedDict):\n${required.map(memberOf).join("")}`;
  return `

class _Required${name}(TypedDict):
${required.map(memberOf).join("")}

class ${name}(_Required${name}, total=False):
${optional.map(memberOf).join("")}`;
}

/** Members with the name of a keyword need the other way to define a TypedDict. Its types are evaluated at run time. */
function functionalTypedDict(name: string, members: readonly Member[]): string {
  if (members.some(({ isOptional }) => isOptional)) throw new Error(`${name} has optional members.`);
  const entries = members.map(
    ({ name: member, value }) => `        "${member}": "${typeOf(value).replaceAll('"', "'")}",\n`,
  );
  return `\n\n${name} = TypedDict(\n    "${name}",\n    {\n${entries.join("")}    },\n)\n`;
}

/** On one line if it fits. Otherwise it breaks after its first clause. */
function docstring(text: string): string {
  if (text.length < 110) return `    """${text}"""\n`;
  const [first = "", ...rest] = text.split(": ");
  return `    """${first}:\n    ${rest.join(": ")}\n    """\n`;
}

function memberOf({ name, value, description }: Member): string {
  const comment = description === null ? "" : wrapped(description);
  return `${comment}    ${name}: ${typeOf(value)}\n`;
}

function wrapped(description: string): string {
  const lines: string[] = [];
  for (const word of description.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < 108) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.map((line) => `    #: ${line}\n`).join("");
}

function typeOf({ kind, isNullable }: Value): string {
  const type = kindOf(kind);
  return isNullable ? `${type} | None` : type;
}

function kindOf(kind: Value["kind"]): string {
  switch (kind.is) {
    case "text":
    case "time":
      return "str";
    case "whole number":
      return "int";
    case "number":
      return "float";
    case "boolean":
      return "bool";
    case "null":
      return "None";
    case "JSON object":
      return "dict[str, Any]";
    case "one of":
      return `Literal[${kind.values.map((value) => (typeof value === "string" ? `"${value}"` : value ? "True" : "False")).join(", ")}]`;
    case "list":
      return `list[${typeOf(kind.of)}]`;
    case "object":
      return kind.name;
  }
}

const keywords = new Set(["from", "import", "class", "global", "pass", "def", "in", "is"]);
