import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { databases } from "../support/databases.ts";
import { KeepAliveCaller, validateRequest } from "../support/keep-alive.ts";
import { openNodes } from "../support/nodes.ts";
import { countedRequests } from "../support/public-api-fixture.ts";
import { long } from "./size.ts";

setDefaultTimeout(600_000);

const limit = long ? 10_000 : 1_000;
const calls = long ? 12_000 : 1_200;
const callersPerNode = long ? 200 : 30;

for (const { kind, make } of databases) {
  const nodeCount = kind === "postgres" ? 3 : 1;
  describe(`concurrent requests under a daily limit, on ${kind} with ${nodeCount} node(s)`, () => {
    test(`of ${calls} calls, exactly ${limit} are admitted and counted`, async () => {
      const nodes = await openNodes(make, nodeCount, { dailyLimit: limit });
      const { key } = await nodes.org.license({ maxIps: null });
      const request = validateRequest(nodes.org.apiKey, key);
      const statuses = new Map<number, number>();
      const remaining = new Set<string>();
      let started = 0;
      const callers = nodes.servers.flatMap(({ port }) =>
        Array.from({ length: callersPerNode }, () => new KeepAliveCaller(port)),
      );
      await Promise.all(
        callers.map(async (caller) => {
          while (started < calls) {
            started += 1;
            const sent = await caller.send(request);
            const status = sent.tag === "answered" ? sent.answer.status : 0;
            statuses.set(status, (statuses.get(status) ?? 0) + 1);
            if (status !== 200 || sent.tag !== "answered") continue;
            remaining.add(/r=(\d+)/.exec(sent.answer.headers.get("ratelimit") ?? "")?.[1] ?? "");
          }
          caller.close();
        }),
      );
      expect(Object.fromEntries(statuses)).toEqual({ 200: limit, 429: calls - limit });
      expect(await countedRequests(nodes.org)).toBe(limit);
      // Each admitted request got a different remaining quota, so no two shared a slot.
      expect(remaining.size).toBe(limit);
      await nodes.close();
    });
  });
}
