import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as sdk from "../src/index.ts";
import { runCase, runWebhook } from "./run-case.mjs";

const folder = join(import.meta.dir, "../../conformance");

interface Named {
  readonly name: string;
}

interface Cases {
  readonly about: string;
  readonly cases?: readonly Named[];
  readonly webhooks?: readonly Named[];
}

const files = readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .map((name): [string, Cases] => [name, JSON.parse(readFileSync(join(folder, name), "utf8"))]);

let server: ChildProcess;
let url = "";
beforeAll(async () => {
  server = spawn(process.execPath, [join(folder, "server.ts")], { stdio: ["pipe", "pipe", "inherit"] });
  url = await new Promise((resolve) => server.stdout?.once("data", (text) => resolve(String(text).trim())));
});
afterAll(() => server.stdin?.end());

test("there is nothing in the suite that is not run here", () => {
  for (const [, file] of files)
    expect(Object.keys(file).filter((key) => !["about", "cases", "webhooks"].includes(key))).toEqual([]);
});

describe.each(files)("%s", (_name, { cases = [], webhooks = [] }) => {
  for (const one of cases) test(one.name, () => runCase(sdk, url, one));
  for (const one of webhooks) test(one.name, () => runWebhook(sdk, one));
});
