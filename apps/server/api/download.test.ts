import { expect, test } from "bun:test";
import type { OrganizationContext } from "./context.ts";
import { type ExportSlot, ExportSlots } from "./download.ts";

const limits = { perCaller: 4, perOrganization: 4, inAll: 24 };
const busy = expect.objectContaining({ code: "server_busy" });

/** Slots whose clock is this test. Each export is named by its organization and a number. */
function openSlots(ofLimits = limits) {
  const clock = { nowMs: 0 };
  const slots = new ExportSlots(ofLimits, () => clock.nowMs);
  const cut: string[] = [];
  const exports = new Map<string, ExportSlot>();
  /** An export whose caller has been handed a piece a millisecond later than that of the one before it. */
  const begin = (organization: string, number = 0) => {
    const name = `${organization}${number}`;
    const context = {
      actor: { kind: "token", tokenId: `token ${organization}` },
      organization: { id: organization },
    } as OrganizationContext;
    const slot = slots.enter(context, () => cut.push(name));
    exports.set(name, slot);
    clock.nowMs += 1;
    slot.pieceSent();
  };
  const beginAll = (organizations: number, ofEach: number) => {
    for (let number = 0; number < ofEach; number++)
      for (let organization = 0; organization < organizations; organization++)
        begin(`organization ${organization} `, number);
  };
  const progress = () => {
    for (const slot of exports.values()) {
      slot.pieceAsked();
      slot.pieceSent();
    }
  };
  return { slots, clock, cut, exports, begin, beginAll, progress };
}

test("if six organizations have all exports, each organization that comes later begins one at once", () => {
  const { slots, cut, begin, beginAll } = openSlots();
  beginAll(6, 4);
  begin("new ");
  begin("newer ");
  // Those that have taken nothing for the longest time, and each of an organization that has the most.
  expect(cut).toEqual(["organization 0 0", "organization 1 0"]);
  expect(slots.use).toEqual({ inUse: 24, limit: 24, refused: 2 });
});

test("an export that takes nothing is cut before one of the same organization that makes progress", () => {
  const { cut, exports, begin, beginAll, clock } = openSlots();
  beginAll(6, 4);
  clock.nowMs += 100;
  for (const [name, slot] of exports) {
    if (name === "organization 3 2") continue;
    slot.pieceAsked();
    slot.pieceSent();
  }
  begin("new ");
  expect(cut).toEqual(["organization 3 2"]);
});

test("an export that has taken nothing for long is cut before one that makes progress of an organization with more", () => {
  const { cut, exports, begin, clock } = openSlots({ ...limits, inAll: 7 });
  for (let number = 0; number < 4; number++) begin("a", number);
  for (let number = 0; number < 3; number++) begin("b", number);
  clock.nowMs += 11_000;
  for (const [name, slot] of exports) if (name !== "b1") slot.pieceAsked();
  begin("c");
  expect(cut).toEqual(["b1"]);
});

test("an export for which the server has to read is not one that takes nothing", () => {
  const { cut, exports, begin, beginAll, clock } = openSlots();
  beginAll(24, 1);
  for (const slot of exports.values()) slot.pieceAsked();
  clock.nowMs += 60_000;
  expect(() => begin("new ")).toThrow(busy);
  expect(cut).toEqual([]);
});

test("an export that makes progress is never cut for an organization that would then have as many", () => {
  const { cut, begin, beginAll, progress, clock } = openSlots();
  beginAll(24, 1);
  clock.nowMs += 60_000;
  progress();
  expect(() => begin("new ")).toThrow(busy);
  expect(cut).toEqual([]);
});

test("of organizations with as many, one loses an export that has taken nothing for long", () => {
  const { cut, begin, beginAll, exports, clock } = openSlots();
  beginAll(24, 1);
  clock.nowMs += 9_000;
  expect(() => begin("new ")).toThrow(busy);
  clock.nowMs += 2_000;
  for (const [name, slot] of exports) if (name !== "organization 7 0") slot.pieceAsked();
  begin("new ");
  expect(cut).toEqual(["organization 7 0"]);
});

test("an organization with its share does not get more by cutting another that has no more", () => {
  const { cut, begin, beginAll } = openSlots();
  beginAll(6, 4);
  for (let number = 0; number < 3; number++) begin("new ", number);
  expect(cut).toEqual(["organization 0 0", "organization 1 0", "organization 2 0"]);
  // It would have four, and the others are left with three.
  expect(() => begin("new ", 3)).toThrow(busy);
  expect(cut).toHaveLength(3);
});

test("a caller and an organization keep their limits, and what has ended or was cut is free once", () => {
  const { slots, exports, begin, beginAll } = openSlots();
  beginAll(1, 4);
  expect(() => begin("organization 0 ", 4)).toThrow(expect.objectContaining({ code: "too_many_exports" }));
  const first = exports.get("organization 0 0");
  first?.end();
  first?.end();
  expect(slots.use.inUse).toBe(3);
  begin("organization 0 ", 4);
  expect(slots.use.inUse).toBe(4);
});
