import { expect, test } from "bun:test";
import { DeliveryConcurrency, type Outcome } from "./concurrency.ts";

const sizes = { healthy: 10, troubled: 3, perOrganization: 100, perEndpoint: 4, overall: 12 };
const owner = (id: string, isFailing = false, organization_id = "o") => {
  return { id, organization_id, failing_since: isFailing ? 1 : null };
};
const begin = (concurrency: DeliveryConcurrency, id: string, isFailing = false) =>
  concurrency.begin(owner(id, isFailing), 0);
const end = (concurrency: DeliveryConcurrency, id: string, outcome: Outcome) =>
  concurrency.end(id, outcome, 0, 10);

test("an endpoint starts with one request at a time, doubles with every success up to its maximum, keeps that after a fast error, and restarts after a timeout", () => {
  const concurrency = new DeliveryConcurrency(sizes);
  expect(concurrency.room(owner("a"))).toBe(1);
  const outcomes: Outcome[] = ["success", "refused", "success", "success", "silence"];
  const rooms = outcomes.map((outcome) => {
    begin(concurrency, "a");
    end(concurrency, "a", outcome);
    return concurrency.room(owner("a"));
  });
  expect(rooms).toEqual([2, 2, 4, 4, 1]);
});

test("failing endpoints leave capacity for the others", () => {
  const concurrency = new DeliveryConcurrency(sizes);
  for (const id of ["a", "b", "c"]) begin(concurrency, id, true);
  expect(concurrency.room(owner("d", true))).toBe(0);
  expect(concurrency.room(owner("e"))).toBe(1);
  end(concurrency, "a", "silence");
  expect(concurrency.room(owner("d", true))).toBe(1);
  end(concurrency, "b", "success");
  expect(concurrency.room(owner("b"))).toBe(2);
  expect(concurrency.inProgress).toBe(1);
});

test.each([
  ["all healthy endpoints, which does not affect failing ones", {}, 10, owner("failing", true)],
  ["an organization, which does not affect others", { perOrganization: 3 }, 3, owner("x", false, "p")],
])("there is a maximum for %s", (_, limits, most, unaffected) => {
  const concurrency = new DeliveryConcurrency({ ...sizes, ...limits });
  for (let made = 0; made < most; made++) begin(concurrency, `e${made}`);
  expect(concurrency.room(owner("another"))).toBe(0);
  expect(concurrency.room(unaffected)).toBe(1);
  end(concurrency, "e0", "success");
  expect(concurrency.room(owner("another"))).toBe(1);
});

test("after a timeout, all requests in progress to that endpoint count as failing until they end", () => {
  const concurrency = new DeliveryConcurrency(sizes);
  begin(concurrency, "a");
  end(concurrency, "a", "success");
  for (let made = 0; made < 2; made++) begin(concurrency, "a");
  end(concurrency, "a", "silence");
  for (const id of ["b", "c"]) begin(concurrency, id, true);
  expect(concurrency.room(owner("d", true))).toBe(0);
  for (const id of ["a", "b", "c"]) end(concurrency, id, "silence");
  expect(concurrency.room(owner("d", true))).toBe(1);
  expect(concurrency.inProgress).toBe(0);
});

test("an endpoint without a response for two seconds frees its capacity before it times out", () => {
  const concurrency = new DeliveryConcurrency({ ...sizes, healthy: 2 });
  begin(concurrency, "a");
  concurrency.end("a", "success", 10, 10);
  for (let made = 0; made < 2; made++) concurrency.begin(owner("a"), 10);
  expect(concurrency.room(owner("b"))).toBe(0);
  concurrency.detectStalled(2_000);
  expect(concurrency.room(owner("b"))).toBe(0);
  concurrency.detectStalled(2_020);
  expect(concurrency.room(owner("b"))).toBe(1);
  expect(concurrency.isTroubled("a")).toBe(true);
  concurrency.end("a", "success", 3_000, 2_990);
  expect(concurrency.isTroubled("a")).toBe(false);
});

test("as many deliveries are claimed ahead as are sent in about a second, and none for a failing endpoint", () => {
  const concurrency = new DeliveryConcurrency({ ...sizes, perEndpoint: 32 });
  expect(concurrency.ahead("a")).toBe(0);
  for (let round = 0; round < 6; round++) {
    begin(concurrency, "a");
    concurrency.end("a", "success", 0, 100);
  }
  expect(concurrency.ahead("a")).toBe(320);
  begin(concurrency, "a");
  concurrency.end("a", "silence", 15_000, 15_000);
  expect(concurrency.ahead("a")).toBe(0);
});
