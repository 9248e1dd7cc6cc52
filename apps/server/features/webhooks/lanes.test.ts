import { expect, test } from "bun:test";
import { Lanes } from "./lanes.ts";

const sizes = { overall: 10, perEndpoint: 4, troubled: 3 };

test("a lane begins with one, doubles with every success, and ends at its cap", () => {
  const lanes = new Lanes(sizes);
  const rooms = [1, 2, 3, 4].map(() => {
    const room = lanes.room("a", false);
    lanes.begin("a", false);
    lanes.end("a", "success");
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
    lanes.begin("a", false);
    lanes.end("a", ending);
    expect(lanes.room("a", false)).toBe(room);
  }
});

test("endpoints in trouble leave room for the others", () => {
  const lanes = new Lanes(sizes);
  for (const id of ["a", "b", "c"]) lanes.begin(id, true);
  expect(lanes.room("d", true)).toBe(0);
  expect(lanes.room("e", false)).toBe(1);
  lanes.end("a", "silence");
  expect(lanes.room("d", true)).toBe(1);
  lanes.end("b", "success");
  expect(lanes.room("b", false)).toBe(2);
  expect(lanes.underWay).toBe(1);
});

test("all together have a cap too", () => {
  const lanes = new Lanes(sizes);
  for (let made = 0; made < 10; made++) lanes.begin(`e${made}`, false);
  expect(lanes.room("another", false)).toBe(0);
});

test("a lane that falls silent with others under way counts all of them as trouble, and none afterwards", () => {
  const lanes = new Lanes(sizes);
  lanes.begin("a", false);
  lanes.end("a", "success");
  lanes.begin("a", false);
  lanes.begin("a", false);
  lanes.end("a", "silence");
  lanes.begin("b", true);
  lanes.begin("c", true);
  expect(lanes.room("d", true)).toBe(0);
  for (const id of ["a", "b", "c"]) lanes.end(id, "silence");
  expect(lanes.room("d", true)).toBe(1);
  expect(lanes.underWay).toBe(0);
});
