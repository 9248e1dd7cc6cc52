import { expect, test } from "bun:test";
import { deviceId } from "../src/device/index.ts";

test("a machine has the same ID at every call, and another per app", async () => {
  expect(await deviceId("app")).toBe(await deviceId("app"));
  expect(await deviceId("app")).not.toBe(await deviceId("other"));
  expect(await deviceId("app", " seat-7 ")).toBe("seat-7");
});
