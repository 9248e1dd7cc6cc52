import { describe, expect, test } from "bun:test";
import { blocksIn } from "./blocks.ts";

const page = (...lines: string[]) => blocksIn("page.md", lines.join("\n"));

describe("the blocks of a page", () => {
  test("a block after a comment that belongs to none is found", () => {
    const blocks = page(
      "<!-- generated -->",
      "",
      "Text",
      "```sh",
      "one",
      "```",
      "<!-- not run: why -->",
      "```sh",
      "two",
      "```",
    );
    expect(blocks.map(({ text }) => text)).toEqual(["one\n", "two\n"]);
    expect(blocks.map(({ notRun }) => notRun)).toEqual([null, "why"]);
  });

  test("a comment that arranges a block stands directly before it, or the page is refused", () => {
    const blocks = page("<!-- test: a", "b -->", "<!-- status: 409 -->", "", "```sh", "c", "```");
    expect(blocks).toMatchObject([{ before: "a\nb", statuses: ["409"], line: 5 }]);
    expect(() => page("<!-- test: a -->", "", "## Another section", "", "```sh", "b", "```")).toThrow(
      "page.md:1",
    );
    expect(() => page("```sh", "a", "```", "<!-- not run: why -->")).toThrow("page.md:4");
  });

  test("a block in a list is without its indentation", () => {
    expect(page("1. Run", "", "   ```sh", "   one", "     two", "   ```")).toMatchObject([
      { text: "one\n  two\n" },
    ]);
  });

  test("a block that does not end is refused", () => {
    expect(() => page("```sh", "a")).toThrow("page.md:1");
  });
});
