import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../apps/server/base/config.ts";
import { type Block, exampleOf, placeOf } from "./blocks.ts";

/** What is wrong with a block in a language that needs no other program; null for any other language. */
export function faultsOf(block: Block): string[] | null {
  const check = checks[block.language];
  if (check === undefined) return null;
  try {
    check(block);
    return [];
  } catch (error) {
    return [`${placeOf(block)}: ${error instanceof Error ? error.message : error}`];
  }
}

const checks: Readonly<Record<string, (block: Block) => void>> = {
  json: exampleOf,
  yaml: ({ text }) => void Bun.YAML.parse(text),
  ini: readSettings,
  xml: readXml,
  http: readMessage,
};

/** A file of settings, as systemd reads it: each is a setting of the server, with a value that it accepts. */
function readSettings({ text }: Block): void {
  const settings = text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [, name, value = ""] = /^(\w+)=(.*)$/.exec(line) ?? [];
      if (name === undefined) throw new Error(`not a setting: ${line}`);
      return [name, value.replace(/^"(.*)"$/, "$1").replaceAll("…", "0".repeat(24))];
    });
  const { unknownNames } = readConfig(Object.fromEntries(settings));
  if (unknownNames.length > 0) throw new Error(`not settings: ${unknownNames.join(", ")}`);
}

/** One element after another, each with what is in it, and nothing that is not closed. */
function readXml({ text }: Block): void {
  const open: string[] = [];
  const content = text.replaceAll(/<!--[\s\S]*?-->|<\?[\s\S]*?\?>/g, "");
  const rest = content.replaceAll(
    /<(\/?)([\w:.-]+)((?:\s+[\w:.-]+="[^"<]*")*)\s*(\/?)>/g,
    (_, end, name, _attributes, isEmpty) => {
      if (end === "/") {
        const expected = open.pop();
        if (expected !== name) throw new Error(`</${name}> ends <${expected}>`);
      } else if (isEmpty === "") open.push(name);
      return "";
    },
  );
  if (open.length > 0) throw new Error(`<${open.at(-1)}> is not closed`);
  const wrong = /[<>]|&(?!\w+;|#\d+;)/.exec(rest);
  if (wrong !== null) throw new Error(`unexpected ${wrong[0]}`);
}

/** A request or a response: its first line, headers, and after an empty line the body, which is JSON. */
function readMessage({ text }: Block): void {
  const [head = "", body = ""] = text.split(/\n\n([\s\S]*)/);
  const [first = "", ...headers] = head.trimEnd().split("\n");
  const request = /^(GET|POST|PUT|PATCH|DELETE) \/\S*( HTTP\/1\.1)?$/;
  if (!request.test(first) && !/^HTTP\/1\.1 \d{3}( [\w ]+)?$/.test(first))
    throw new Error(`neither a request nor a response: ${first}`);
  const wrong = headers.find((line) => !/^[\w-]+: \S.*$/.test(line));
  if (wrong !== undefined) throw new Error(`not a header: ${wrong}`);
  if (body.trim() !== "") JSON.parse(body.replaceAll(/\{\s*…\s*\}/g, "{}"));
}

/** What Caddy says against a Caddyfile. */
export function caddyFaults({ text }: Block): string {
  const folder = mkdtempSync(join(tmpdir(), "countersign-caddy-"));
  try {
    writeFileSync(join(folder, "Caddyfile"), text);
    const { stderr, status } = spawnSync(
      "caddy",
      ["validate", "--adapter", "caddyfile", "--config", "Caddyfile"],
      {
        cwd: folder,
        env: { PATH: process.env.PATH ?? "", HOME: folder },
        encoding: "utf8",
      },
    );
    return status === 0 ? "" : stderr;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
