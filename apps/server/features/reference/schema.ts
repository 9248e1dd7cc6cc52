import type { JsonSchema } from "@countersign/contract/openapi/schemas";
import { schemaName } from "./document.ts";
import { type Html, html, prose } from "./html.ts";

/** The members of an object, each with its type and description. */
export function membersTable(schema: JsonSchema): Html {
  const members = Object.entries(schema.properties ?? {});
  const choices = (schema.anyOf ?? schema.oneOf ?? []).filter((one) => one.properties !== undefined);
  if (members.length === 0 && choices.length > 1) {
    return html`<p>One of ${choices.length} shapes:</p>${choices.map(
      (one) => html`<details open><summary>${choiceName(one)}</summary>${membersTable(one)}</details>`,
    )}`;
  }
  if (members.length === 0) return html`<p class="type">${typeOf(schema)}</p>`;
  return html`<table>
    ${members.map(
      ([name, member]) => html`<tr>
        <th scope="row"><code>${name}</code>${schema.required?.includes(name) ? html` <em>required</em>` : null}</th>
        <td>${described(member)}</td>
      </tr>`,
    )}
  </table>`;
}

/** By its discriminating member, as in `action: "revoke"`; otherwise by its first members. */
function choiceName(schema: JsonSchema): Html {
  const members = Object.entries(schema.properties ?? {});
  const [name, fixed] = members.find(([, member]) => member.const !== undefined) ?? [];
  if (name !== undefined) return html`<code>${name}: ${JSON.stringify(fixed?.const)}</code>`;
  return html`with <code>${members
    .slice(0, 3)
    .map(([one]) => one)
    .join(", ")}</code>`;
}

export function described(schema: JsonSchema): Html {
  const bounds = boundsOf(schema);
  const inner = innerObject(schema);
  return html`<span class="type">${typeOf(schema)}</span>${bounds === "" ? null : html` <small>${bounds}</small>`}
    ${schema.description === undefined ? null : html`<p>${prose(schema.description)}</p>`}
    ${inner === null || schema.$ref !== undefined ? null : html`<details><summary>Its members</summary>${membersTable(inner)}</details>`}`;
}

/** The nested content, if it has no name to link to. */
function innerObject(schema: JsonSchema): JsonSchema | null {
  if (schema.properties !== undefined) return schema;
  if (schema.items !== undefined) return innerObject(schema.items);
  const choices = (schema.anyOf ?? schema.oneOf ?? []).map(innerObject).filter((one) => one !== null);
  return choices[0] ?? null;
}

function typeOf(schema: JsonSchema): Html {
  if (schema.$ref !== undefined) {
    const name = schemaName(schema.$ref);
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) {
    return html`${choices.map((choice, index) => [index === 0 ? "" : " or ", typeOf(choice)])}`;
  }
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum !== undefined) {
    return html`${schema.enum.map((value, index) => [index === 0 ? "" : ", ", html`<code>${String(value)}</code>`])}`;
  }
  if (schema.type === "array")
    return html`list of ${schema.items === undefined ? "anything" : typeOf(schema.items)}`;
  if (schema.format === "date-time") return html`date and time`;
  if (schema.type === undefined) return html`anything`;
  const types = typeof schema.type === "string" ? [schema.type] : schema.type;
  return html`${types.map((type) => typeNames[type] ?? type).join(" or ")}`;
}

const typeNames: Readonly<Record<string, string>> = {
  string: "text",
  integer: "whole number",
  number: "number",
  boolean: "true or false",
  object: "object",
  null: "null",
};

function boundsOf(schema: JsonSchema): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, default: usual } = schema;
  const isReal = (bound: number | undefined) =>
    bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER;
  return [
    isReal(minimum) ? `from ${minimum}` : "",
    isReal(maximum) ? `up to ${maximum}` : "",
    minLength !== undefined && minLength > 1 ? `at least ${minLength} characters` : "",
    maxLength === undefined ? "" : `at most ${maxLength} characters`,
    minItems === undefined ? "" : `at least ${minItems}`,
    maxItems === undefined ? "" : `at most ${maxItems}`,
    usual === undefined ? "" : `${JSON.stringify(usual)} by default`,
  ]
    .filter((part) => part !== "")
    .join(", ");
}
