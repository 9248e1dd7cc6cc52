import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Text } from "@countersign/contract/problems/declare";
import { fieldErrors, problems } from "@countersign/contract/problems/problems";
import { settings } from "../apps/server/base/settings.ts";
import { allCommands } from "../apps/server/cli/command-line.ts";

/** The parts of pages that are written from the sources: `npm run generate` writes them, and a test compares them. */
const parts: Readonly<Record<string, () => string | Promise<string>>> = {
  "reference/errors.md": () =>
    `${errorTable()}\n\n## Errors of fields\n\nIn \`errors\` of a response with 422, one for each wrong field.\n\n${fieldTable()}`,
  "reference/commands.md": commandSections,
  "operating/settings.md": settingTable,
};

function errorTable(): string {
  const rows = Object.entries(problems).map(
    ([code, { status, text, help }]) =>
      `| \`${code}\` | ${status} | ${cell(text)}${help === null ? "" : ` ${cell(help)}`} |`,
  );
  return `| code | HTTP | |\n|---|---|---|\n${rows.sort().join("\n")}`;
}

function fieldTable(): string {
  const rows = Object.entries(fieldErrors).map(([code, text]) => `| \`${code}\` | ${cell(text)} |`);
  return `| code | the field … |\n|---|---|\n${rows.sort().join("\n")}`;
}

async function commandSections(): Promise<string> {
  const sections = (await allCommands()).map(
    ({ name, summary, help }) => `## ${name}\n\n${cell(summary)}\n\n\`\`\`text\n${help.trim()}\n\`\`\``,
  );
  return sections.join("\n\n");
}

function settingTable(): string {
  const rows = settings.map(({ name, default: value, summary, more }) => {
    const text = `${codeIn(summary)}${more === undefined ? "" : `. ${more}`}`;
    return `| \`${name}\` | ${value === null ? "" : `\`${value}\``} | ${text} |`;
  });
  return `| setting | default | |\n|---|---|---|\n${rows.join("\n")}`;
}

/** Marks examples and URLs as code. */
function codeIn(summary: string): string {
  return summary.replaceAll(/(?<=such as ).*$|\b[a-z]+:\/\/[^\s,]+(?=[\s,])/g, (example) => `\`${example}\``);
}

/** Names in angle brackets would be elements, and bars the ends of cells. */
function cell(text: Text): string {
  const whole = typeof text === "string" ? text : text.other;
  return whole.replaceAll("|", "\\|").replaceAll("<", "&lt;");
}

const start = "<!-- generated -->\n\n";
const end = "\n\n<!-- end of generated -->";

/** Each page with such a part, as it is and as it should be. */
export async function generatedPages() {
  return Promise.all(
    Object.entries(parts).map(async ([name, write]) => {
      const path = join(import.meta.dirname, name);
      const text = readFileSync(path, "utf8");
      const [before = "", rest = ""] = text.split(start);
      const after = rest.slice(rest.indexOf(end.trimStart()) + end.trimStart().length);
      return { name, path, text, expected: `${before}${start}${await write()}${end}${after}` };
    }),
  );
}

if (import.meta.main)
  for (const { path, text, expected } of await generatedPages())
    if (text !== expected) writeFileSync(path, expected);
