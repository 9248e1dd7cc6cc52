import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { importSourceIds, importSources } from "@countersign/domain/license-files/sources";

const guide = (name: string) =>
  readFileSync(join(import.meta.dir, "../../docs/migrating", `${name}.md`), "utf8");

test.each(importSourceIds)(
  "the guide from %s names every column of the map, and no other as imported",
  (id) => {
    const text = guide(id);
    const { columns, leftOut, related = {} } = importSources[id];
    const known = [...Object.keys(columns), ...Object.keys(leftOut)];
    expect(known.filter((column) => !text.includes(`\`${column}\``))).toEqual([]);
    // What is in the first cells of the table of columns is in the map.
    const [, table = ""] = /\| column \| becomes \|\n\|---\|---\|\n([\s\S]*?)\n\n/.exec(text) ?? [];
    const named = table.split("\n").flatMap((row) => row.split("|")[1]?.match(/`[^`]+`/g) ?? []);
    expect(named.map((name) => name.slice(1, -1)).sort()).toEqual(Object.keys(columns).sort());
    // And the members of the metadata that it makes.
    const rules = [columns, ...Object.values(related).map((one) => one.columns)].flatMap(Object.values);
    const members = rules.flatMap((rule) =>
      typeof rule === "object" && "member" in rule ? [rule.member] : [],
    );
    expect(members.filter((member) => !text.includes(`\`${member}\``))).toEqual([]);
    expect(text).toContain(`--source ${id} `);
  },
);

test("every guide has the parts that the overview promises", () => {
  const parts = ["Words", "Your app", "Running both", "What Countersign does not have", "Going back"];
  for (const name of ["keyport", ...importSourceIds])
    expect(
      parts.filter((part) => !guide(name).includes(`\n## ${part}\n`)),
      name,
    ).toEqual([]);
});
