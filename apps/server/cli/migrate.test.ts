import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { databases } from "../../../tests/support/databases.ts";
import { runCountersign } from "../../../tests/support/server-process.ts";

setDefaultTimeout(60_000);

for (const { kind, makeEmpty: make } of databases) {
  describe(`migrate on ${kind}`, async () => {
    test("lists what it applied, and then reports that the database is up to date", async () => {
      const { environment, remove } = await make();
      const first = await runCountersign(["migrate", "--json"], environment);
      const { database, applied } = JSON.parse(first.stdout);
      expect(database).toBe(kind);
      expect(applied).toContain("0001-core");
      expect(applied).toContain("0001-journal");
      expect(applied).toContain("0002-refusals");
      const second = await runCountersign(["migrate", "--json"], environment);
      expect(JSON.parse(second.stdout)).toEqual({ database: kind, applied: [] });
      const third = await runCountersign(["migrate"], environment);
      expect(third).toEqual({
        code: 0,
        stdout: "The database is already up to date.\n",
        stderr: "",
      });
      remove();
    });
  });
}

test("an unreachable database results in one sentence and exit code 1", async () => {
  const { code, stdout, stderr } = await runCountersign(["migrate"], {
    DATABASE_URL: "postgres://a:b@127.0.0.1:1/c",
  });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(
    /^The PostgreSQL database cannot be reached: .* Check DATABASE_URL, and that PostgreSQL is running\.\n$/,
  );
});
