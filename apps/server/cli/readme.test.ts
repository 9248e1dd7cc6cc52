import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { validateStatuses } from "@countersign/domain/validate/status";
import { sqlite } from "../../../tests/support/databases.ts";
import { freePort } from "../../../tests/support/free-port.ts";
import { startServerProcess } from "../../../tests/support/server-process.ts";

const readme = readFileSync(join(import.meta.dir, "../../../README.md"), "utf8");

test("the commands of the README can be pasted one after the other, and end with a valid response", async () => {
  const database = await sqlite.make();
  const port = String(await freePort());
  const environment = { ...database.environment, PORT: port };
  const server = await startServerProcess(environment);
  const [, section = ""] = /## Create a license from the command line\n([\s\S]*?)\n## /.exec(readme) ?? [];
  const commands = [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text]) => text).join("\n");
  const countersign = `'${process.execPath}' '${join(import.meta.dir, "../main.ts")}'`;
  const here = commands
    .replaceAll("npm run --silent countersign --", countersign)
    .replaceAll("http://127.0.0.1:3000", server.url);
  expect(commands).not.toBe(here);
  const printed = execFileSync("sh", ["-ec", here], {
    encoding: "utf8",
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "ignore"],
  });
  await server.stop();
  database.remove();
  const answers = printed.split(/\n|(?<=\})(?=\{)/).filter((line) => line !== "");
  expect(JSON.parse(answers.at(-1) ?? "")).toMatchObject({ valid: true, status: "active" });
}, 60_000);

test("the README names every status of a validation, and that of a server whose database does not answer", () => {
  for (const status of [...validateStatuses, "unavailable"]) expect(readme).toContain(`\`${status}\``);
});
