import { describe, expect, test } from "bun:test";
import { runCountersign } from "../../../tests/support/server-process.ts";
import { allCommands } from "./command-line.ts";

describe("the command line", () => {
  test("every command prints its help without a database", async () => {
    for (const { name } of await allCommands()) {
      const { code, stdout } = await runCountersign([name, "--help"], {
        DATABASE_URL: "postgres://127.0.0.1:1/none",
      });
      expect(code).toBe(0);
      expect(stdout).toStartWith(`countersign ${name}`);
    }
  }, 30_000);

  test("every command that prints data offers --json in its help", async () => {
    for (const { name, help } of await allCommands()) {
      if (name !== "serve") expect(help).toContain("--json");
    }
  });

  test("an unknown command is named", async () => {
    const { code, stderr } = await runCountersign(["sevre"]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'There is no command "sevre". Run countersign --help for a list.\n',
    });
  });
});
