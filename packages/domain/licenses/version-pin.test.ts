import { expect, test } from "bun:test";
import { noPin, type Pin, readPin, type WantedPin } from "./version-pin.ts";

const pinned: Pin = { ...noPin, mode: "pinned", pinned: "1.0" };
const range: Pin = { ...noPin, mode: "range", min: "1.0", max: "2.0" };

test.each<[before: Pin, given: WantedPin, pin: Pin]>([
  [pinned, {}, pinned],
  [pinned, { mode: null }, noPin],
  [range, { mode: null, min: null, max: null }, noPin],
  [noPin, { pinned: " v2.1 " }, { ...noPin, mode: "pinned", pinned: "v2.1" }],
  [range, { pinned: "3" }, { ...noPin, mode: "pinned", pinned: "3" }],
  [pinned, { min: "1" }, { ...noPin, mode: "range", min: "1" }],
  [range, { max: null }, { ...range, max: null }],
  [pinned, { mode: "pinned" }, pinned],
])("pin %j with %j is %j", (before, given, pin) => expect(readPin(before, given)).toEqual({ ok: true, pin }));

const refused: [before: Pin, given: WantedPin, field: string][] = [
  [noPin, { mode: "pinned" }, "version_pinned"],
  [noPin, { pinned: "newest" }, "version_pinned"],
  [pinned, { pinned: null }, "version_pinned"],
  [noPin, { mode: "range" }, "version_range_min"],
  [range, { min: null, max: null }, "version_range_min"],
  [range, { min: "x" }, "version_range_min"],
  [range, { max: "1.0.0" }, "version_range_max"],
  [noPin, { mode: null, pinned: "1" }, "version_pinned"],
  [noPin, { pinned: "1", min: "1" }, "version_range_min"],
  [noPin, { mode: "range", pinned: "1" }, "version_pinned"],
];
test.each(refused)("pin %j with %j is refused at %s", (before, given, field) => {
  expect(readPin(before, given)).toMatchObject({ ok: false, field });
});
