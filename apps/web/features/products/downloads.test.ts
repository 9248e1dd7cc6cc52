import { describe, expect, test } from "bun:test";
import { bodyOf, downloadOf, draftOf, isSame, moved } from "./downloads.ts";

const url = "https://example.com/windows.exe";
const windows = { title: "Windows", url, min_version: "2.0.0", checksum: null };

describe("downloads", () => {
  test.each([
    [0, 1, ["b", "a", "c"]],
    [2, -1, ["a", "c", "b"]],
    [0, -1, ["a", "b", "c"]],
    [2, 1, ["a", "b", "c"]],
    [7, -1, ["a", "b", "c"]],
  ] as const)("download %p moves by %p within the list", (from, by, order) => {
    expect(moved(["a", "b", "c"], from, by)).toEqual([...order]);
  });

  test("an empty field of a download is saved as null, and a form shows null as empty", () => {
    expect(draftOf(windows)).toEqual({ ...windows, checksum: "" });
    expect(downloadOf({ ...draftOf(windows), title: " Windows ", min_version: " " })).toEqual({
      ...windows,
      min_version: null,
    });
    expect(downloadOf(draftOf(windows))).toEqual(windows);
  });

  test("two lists are the same if customers see the same: IDs do not count, and the order does", () => {
    const other = { ...windows, title: "Linux" };
    expect(isSame([{ ...windows, id: "1" } as typeof windows], [windows])).toBe(true);
    expect(isSame([windows, other], [other, windows])).toBe(false);
    expect(bodyOf([{ ...windows, id: "1" } as typeof windows])).toEqual({ data: [windows] });
  });
});
