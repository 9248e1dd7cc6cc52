import { filled, placeholders, type Text } from "@countersign/contract/problems/declare";
import { failures } from "@countersign/contract/problems/failures";
import { fieldErrors, problems } from "@countersign/contract/problems/problems";

/** The page of a code, as text; null for a code that does not exist. */
export function problemPage(code: string): string | null {
  if (Object.hasOwn(problems, code)) {
    const { status, text, help } = problems[code as keyof typeof problems];
    return page(code, [["status", String(status)], ...described(text)], help);
  }
  if (Object.hasOwn(fieldErrors, code))
    return page(
      code,
      described(`<field> ${oneText(fieldErrors[code as keyof typeof fieldErrors])}.`),
      onFields,
    );
  if (Object.hasOwn(failures, code)) {
    const text: Text = failures[code as keyof typeof failures];
    return page(code, described(text), onFailures);
  }
  return null;
}

/** Every code with its text, one on each line. */
export function problemIndex(): string {
  const lines = [
    ...Object.entries(problems).map(([code, { status, text }]) => `${status} ${code}  ${oneText(text)}`),
    "",
    ...Object.entries(fieldErrors).map(([code, text]) => `${code}  <field> ${oneText(text)}.`),
    "",
    ...Object.entries<Text>(failures).map(([code, text]) => `${code}  ${oneText(text)}`),
  ];
  return `${lines.join("\n")}\n`;
}

const onFields = "A field of the body or a query parameter is invalid. `errors` of the response names it.";
const onFailures = "The server could not do something in the background. The resource shows it as `failure`.";

function described(text: Text): [string, string][] {
  const names = placeholders(text);
  return [
    ["text", oneText(text)],
    ...(names.length === 0 ? [] : [["params", names.join(", ")] as [string, string]]),
  ];
}

function page(code: string, lines: readonly (readonly [string, string])[], help: string | null): string {
  const shown = lines.map(([name, value]) => `${name.padEnd(8)}${value}\n`).join("");
  return `${code}\n\n${shown}${help === null ? "" : `\n${help}\n`}`;
}

/** Where a number decides the wording, the one for several. */
function oneText(text: Text): string {
  return typeof text === "string" ? text : filled(text.other, {});
}
