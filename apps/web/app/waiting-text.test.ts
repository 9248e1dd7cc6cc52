import { expect, test } from "bun:test";
import { waitingText } from "./waiting-text.ts";

test.each([
  [1, "1"],
  [99, "99"],
  [100, "99+"],
] as const)("%p waiting transfers are shown as %p", (count, text) => expect(waitingText(count)).toBe(text));
