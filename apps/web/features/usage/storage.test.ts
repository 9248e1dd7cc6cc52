import { expect, test } from "bun:test";
import { storageText } from "./storage.ts";

test.each([
  [0, "0 byte"],
  [999, "999 byte"],
  [1_000, "1 kB"],
  [1_234_567, "1.2 MB"],
  [256_400_000, "256 MB"],
  [7_300_000_000, "7.3 GB"],
  [2_000_000_000_000_000, "2,000 TB"],
])("%d bytes are %s", (bytes, text) => expect(storageText(bytes, "en")).toBe(text));
