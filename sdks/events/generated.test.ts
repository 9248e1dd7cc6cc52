import { afterAll, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { eventSummaries } from "@countersign/contract/events/events";
import { generatedFiles, writeEvents } from "./generate.ts";

const folder = mkdtempSync(join(tmpdir(), "countersign-events-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const java = "java/src/main/java/io/countersign/events";

test.each(["node/src/webhook-events.ts", "python/src/countersign/webhook_events.py", `${java}/`])(
  "%s has a type for every event of the contract",
  (place) => {
    const text = Object.entries(generatedFiles())
      .filter(([path]) => path.startsWith(place))
      .map(([, content]) => content)
      .join("");
    expect(eventSummaries.filter(({ type }) => !text.includes(`"${type}"`))).toEqual([]);
    expect(eventSummaries.length).toBeGreaterThan(15);
  },
);

test("files that are up to date are left alone, others are written again", () => {
  writeEvents(folder);
  const [current = "", changed = ""] = Object.keys(generatedFiles());
  const longAgo = new Date("2020-01-01");
  utimesSync(join(folder, current), longAgo, longAgo);
  writeFileSync(join(folder, changed), "");
  writeEvents(folder);
  expect(statSync(join(folder, current)).mtime).toEqual(longAgo);
  expect(readFileSync(join(folder, changed), "utf8")).toBe(generatedFiles()[changed] ?? "");
});

test("a class of an event that is no longer in the contract is removed, and what is written by hand stays", () => {
  mkdirSync(dirname(join(folder, java, "Any.java")), { recursive: true });
  for (const name of ["LicenseForgotten.java", "EventMembers.java"])
    writeFileSync(join(folder, java, name), "");
  writeEvents(folder);
  expect(existsSync(join(folder, java, "LicenseForgotten.java"))).toBe(false);
  expect(existsSync(join(folder, java, "EventMembers.java"))).toBe(true);
});
