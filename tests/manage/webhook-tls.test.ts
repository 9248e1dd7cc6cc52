import { expect, setDefaultTimeout, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { selfSigned } from "../support/certificate.ts";
import { freshFolder, sqlite } from "../support/databases.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { until } from "../support/until.ts";
import { attemptsAt, makeEvents } from "../support/webhooks.ts";

setDefaultTimeout(60_000);

test("a custom certificate authority is trusted for receivers in the operator's network, each for its own name", async () => {
  const [right, wrong] = [selfSigned("localhost"), selfSigned("elsewhere.example.test")];
  const folder = freshFolder();
  const authorities = join(folder, "authorities.pem");
  writeFileSync(authorities, right.cert + wrong.cert);
  const bodies: string[] = [];
  const listening = [right, wrong].map(async (certificate) => {
    const server = createServer(certificate, async (request, response) => {
      bodies.push(await new Response(request as never).text());
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return server;
  });
  const servers = await Promise.all(listening);
  const fixture = await openManageFixture(sqlite.make, {
    why: "trusts another certificate authority",
    environment: {
      COUNTERSIGN_WEBHOOK_ALLOW: "localhost",
      NODE_EXTRA_CA_CERTS: authorities,
    },
  });
  try {
    const ids: string[] = [];
    for (const server of servers) {
      const url = `https://localhost:${(server.address() as AddressInfo).port}/`;
      const made = await fixture.owner.api.post(`/organizations/${fixture.organizationId}/webhooks`, { url });
      expect(made.status).toBe(201);
      ids.push(String(made.body.id));
    }
    await makeEvents(fixture.store, fixture.organizationId, 1);
    const attempts = (index: number) => attemptsAt(fixture.store, ids[index] ?? "");
    await until(
      "both are attempted",
      async () => (await attempts(0)).length + (await attempts(1)).length === 2,
    );
    expect(await attempts(0)).toMatchObject([{ status: 200, failure: null }]);
    const [refused] = await attempts(1);
    expect(refused?.status).toBeNull();
    expect(refused?.failure).toContain("elsewhere.example.test");
    expect(bodies).toHaveLength(1);
  } finally {
    await fixture.close();
    for (const server of servers) server.close();
    rmSync(folder, { recursive: true });
  }
});
