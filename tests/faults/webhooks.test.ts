import { expect, setDefaultTimeout, test } from "bun:test";
import { databases, sqlite } from "../support/databases.ts";
import { webhooksUnderKills, webhooksWithHangingEndpoints } from "./webhooks.ts";

setDefaultTimeout(300_000);

test.each(databases)(
  "no event is lost when the server is killed during delivery, on $kind",
  async ({ make }) => {
    expect(await webhooksUnderKills(make, { events: 150, kills: 1 })).toContain("none lost");
  },
);

/** `dispatch.test.ts` of the server shows the same on both databases, in process. */
test("endpoints that hang do not delay the others", async () => {
  const size = { endpoints: 10, events: 40, everyMs: 25, p99Ms: 30_000 };
  expect(await webhooksWithHangingEndpoints(sqlite.make, size)).toContain("delivered");
});
