import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { validateStatuses } from "@countersign/domain/validate/status";
import { databases } from "../../../tests/support/databases.ts";
import { runCountersign, startServerProcess } from "../../../tests/support/server-process.ts";

setDefaultTimeout(60_000);

interface Printed {
  readonly outcome: string;
  readonly description: string;
  readonly curl: string;
  readonly api_key: string;
  readonly license_key: string;
  readonly body: Readonly<Record<string, string>> | null;
}

for (const { kind, makeEmpty: make } of databases) {
  describe(`demo on ${kind}`, async () => {
    test("every printed request gets the printed response, also when it is repeated", async () => {
      const database = await make();
      const server = await startServerProcess(database.environment);
      const environment = { ...database.environment, COUNTERSIGN_URL: server.url };
      for (const _ of ["first", "second"]) {
        const { code, stdout, stderr } = await runCountersign(["demo", "--json"], environment);
        expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
        const examples: Printed[] = JSON.parse(stdout);
        expect(new Set(examples.map((example) => example.outcome))).toEqual(
          new Set([...validateStatuses, "lookup"]),
        );
        for (const example of examples) {
          const answer = JSON.parse(execFileSync("sh", ["-c", example.curl], { encoding: "utf8" }));
          if (example.outcome === "lookup") expect(answer.license_key).toBe(example.license_key);
          else expect({ ...example, status: answer.status }).toEqual({ ...example, status: example.outcome });
        }
      }
      await server.stop();
      database.remove();
    });

    test("in text output, a line before each request says what to expect", async () => {
      const database = await make();
      const { stdout } = await runCountersign(["demo"], database.environment);
      const lines = stdout.split("\n").filter((line) => line !== "");
      for (const status of validateStatuses) {
        const line = lines.findIndex((text) => text.startsWith(`# ${status}: `));
        expect(lines[line + 1]).toStartWith("curl ");
      }
      database.remove();
    });
  });
}
