import { expect, test } from "bun:test";
import { type Ending, Lanes } from "./lanes.ts";

const sizes = { healthy: 10, troubled: 3, perOrganization: 100, perEndpoint: 4, overall: 12 };
const owner = (id: string, isFailing = false, organizationId = "o") => ({
  id,
  organization_id: organizationId,
  failing_since: isFailing ? 1 : null,
});
const begin = (lanes: Lanes, id: string, isFailing = false) => lanes.begin(owner(id, isFailing), 0);
const end = (lanes: Lanes, id: string, ending: Ending) => lanes.end(id, ending, 0, 10);

test("a lane begins with one, doubles with every success, and ends at its cap", () => {
  const lanes = new Lanes(sizes);
  const rooms = [1, 2, 3, 4].map(() => {
    const room = lanes.room(owner("a"));
    begin(lanes, "a");
    end(lanes, "a", "success");
    return room;
  });
  expect(rooms).toEqual([1, 2, 4, 4]);
});

test("a quick refusal leaves a lane as it is, and silence takes it back to one", () => {
  const lanes = new Lanes(sizes);
  for (const [ending, room] of [
    ["success", 2],
    ["refused", 2],
    ["success", 4],
    ["silence", 1],
  ] as const) {
    begin(lanes, "a");
    end(lanes, "a", ending);
    expect(lanes.room(owner("a"))).toBe(room);
  }
});

test("endpoints in trouble leave room for the others", () => {
  const lanes = new Lanes(sizes);
  for (const id of ["a", "b", "c"]) begin(lanes, id, true);
  expect(lanes.room(owner("d", true))).toBe(0);
  expect(lanes.room(owner("e"))).toBe(1);
  end(lanes, "a", "silence");
  expect(lanes.room(owner("d", true))).toBe(1);
  end(lanes, "b", "success");
  expect(lanes.room(owner("b"))).toBe(2);
  expect(lanes.underWay).toBe(1);
});

test("all that are healthy have a cap too", () => {
  const lanes = new Lanes(sizes);
  for (let made = 0; made < 10; made++) begin(lanes, `e${made}`);
  expect(lanes.room(owner("another"))).toBe(0);
  expect(lanes.room(owner("failing", true))).toBe(1);
});

test("an organization has a cap, and others have room beside it", () => {
  const lanes = new Lanes({ ...sizes, perOrganization: 3 });
  for (let made = 0; made < 3; made++) begin(lanes, `e${made}`);
  expect(lanes.room(owner("another"))).toBe(0);
  expect(lanes.room(owner("stranger", false, "p"))).toBe(1);
  end(lanes, "e0", "success");
  expect(lanes.room(owner("another"))).toBe(1);
});

test("a lane that falls silent with others under way counts all of them as trouble, and none afterwards", () => {
  const lanes = new Lanes(sizes);
  begin(lanes, "a");
  end(lanes, "a", "success");
  begin(lanes, "a");
  begin(lanes, "a");
  end(lanes, "a", "silence");
  begin(lanes, "b", true);
  begin(lanes, "c", true);
  expect(lanes.room(owner("d", true))).toBe(0);
  for (const id of ["a", "b", "c"]) end(lanes, id, "silence");
  expect(lanes.room(owner("d", true))).toBe(1);
  expect(lanes.underWay).toBe(0);
});

test("a lane that answers nothing for two seconds makes room for the healthy before it is given up", () => {
  const lanes = new Lanes({ ...sizes, healthy: 2 });
  lanes.begin(owner("a"), 0);
  lanes.end("a", "success", 10, 10);
  lanes.begin(owner("a"), 10);
  lanes.begin(owner("a"), 10);
  expect(lanes.room(owner("b"))).toBe(0);
  lanes.look(2_000);
  expect(lanes.room(owner("b"))).toBe(0);
  lanes.look(2_020);
  expect(lanes.room(owner("b"))).toBe(1);
  expect(lanes.isTroubled("a")).toBe(true);
  lanes.end("a", "success", 3_000, 2_990);
  expect(lanes.isTroubled("a")).toBe(false);
});

test("what is claimed ahead is what can be sent in about a second, and nothing for an endpoint in trouble", () => {
  const lanes = new Lanes({ ...sizes, perEndpoint: 32 });
  expect(lanes.ahead("a")).toBe(0);
  for (let round = 0; round < 6; round++) {
    lanes.begin(owner("a"), 0);
    lanes.end("a", "success", 0, 100);
  }
  expect(lanes.ahead("a")).toBe(320);
  lanes.begin(owner("a"), 0);
  lanes.end("a", "silence", 15_000, 15_000);
  expect(lanes.ahead("a")).toBe(0);
});
