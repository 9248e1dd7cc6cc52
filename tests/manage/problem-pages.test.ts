import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { problems } from "@countersign/contract/problems/problems";
import { sqlite } from "../support/databases.ts";
import { openPublicApiFixture, type PublicApiFixture } from "../support/public-api-fixture.ts";

setDefaultTimeout(60_000);

describe("/problems", () => {
  let fixture: PublicApiFixture;
  beforeAll(async () => {
    fixture = await openPublicApiFixture(sqlite.make);
  });
  afterAll(() => fixture.close());

  test("each problem code has a page at its type URL, and no other code does", async () => {
    for (const [code, { status }] of Object.entries(problems)) {
      const answer = await fetch(`${fixture.server.url}/problems/${code}`);
      expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
      const text = await answer.text();
      expect(text).toStartWith(code);
      expect(text).toContain(String(status));
    }
    expect((await fetch(`${fixture.server.url}/problems/nothing`)).status).toBe(404);
    expect((await fetch(`${fixture.server.url}/problems`, { method: "POST" })).status).toBe(405);
  });
});
