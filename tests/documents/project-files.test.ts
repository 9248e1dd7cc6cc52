import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import biome from "../../biome.json" with { type: "json" };

const root = join(import.meta.dir, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: root })
  .toString()
  .split("\n");

test("editors indent and break lines as the formatter does", () => {
  const [, everywhere = ""] = /^\[\*\]\n([\s\S]*?)\n\n/m.exec(read(".editorconfig")) ?? [];
  const { indentStyle, indentWidth, lineWidth } = biome.formatter;
  expect(everywhere.split("\n")).toEqual(
    expect.arrayContaining([
      `indent_style = ${indentStyle}`,
      `indent_size = ${indentWidth}`,
      `max_line_length = ${lineWidth}`,
    ]),
  );
  const [, ofPython = ""] = /^\[\*\.py\]\n([\s\S]*?)\n\n/m.exec(read(".editorconfig")) ?? [];
  const [, width] = /^line-length = (\d+)$/m.exec(read("sdks/python/pyproject.toml")) ?? [];
  expect(ofPython).toContain(`max_line_length = ${width}`);
});

interface Updates {
  readonly updates: readonly {
    readonly "package-ecosystem": string;
    readonly directories: readonly string[];
    readonly groups: object;
    readonly schedule: { readonly interval: string };
  }[];
}

test.each([
  ["npm", "package-lock.json"],
  ["pip", "pyproject.toml"],
  ["maven", "pom.xml"],
  ["docker", "Dockerfile"],
])("Dependabot updates every folder of %s", (ecosystem, name) => {
  const { updates } = Bun.YAML.parse(read(".github/dependabot.yml")) as Updates;
  const watched = updates
    .filter((one) => one["package-ecosystem"] === ecosystem)
    .flatMap(({ directories }) => directories);
  const present = files
    .filter((file) => file === name || file.endsWith(`/${name}`))
    .map((file) => join("/", dirname(file)));
  expect(present.length).toBeGreaterThan(0);
  expect(present.filter((folder) => !watched.includes(folder))).toEqual([]);
  for (const { groups, schedule } of updates)
    expect([Object.keys(groups).length, schedule.interval]).toEqual([1, "weekly"]);
});

interface IssueForm {
  readonly name: string;
  readonly description: string;
  readonly body: readonly {
    readonly type: string;
    readonly id?: string;
    readonly attributes: {
      readonly label?: string;
      readonly value?: string;
      readonly options?: readonly string[];
    };
  }[];
}

test.each(files.filter((file) => /^\.github\/ISSUE_TEMPLATE\/(?!config).*\.yml$/.test(file)))(
  "%s is a form that GitHub accepts",
  (file) => {
    const { name, description, body } = Bun.YAML.parse(read(file)) as IssueForm;
    expect([name, description].every((text) => typeof text === "string" && text !== "")).toBe(true);
    const questions = body.filter(({ type }) => type !== "markdown");
    expect(questions.length).toBeGreaterThan(0);
    for (const { type, id, attributes } of questions) {
      expect(["input", "textarea", "dropdown", "checkboxes"]).toContain(type);
      expect([id, attributes.label]).toEqual([expect.stringMatching(/^[a-z-]+$/), expect.any(String)]);
      if (type === "dropdown") expect(new Set(attributes.options).size).toBeGreaterThan(1);
    }
    expect(new Set(questions.map(({ id }) => id)).size).toBe(questions.length);
    for (const { type, attributes } of body) if (type === "markdown") expect(attributes.value).toBeString();
  },
);

test("the development container has the versions that the project is tested with", () => {
  const container = JSON.parse(read(".devcontainer/devcontainer.json"));
  const image = read(join(".devcontainer", container.build.dockerfile));
  const [, node] = /^FROM node:(\d+)-bookworm$/m.exec(image) ?? [];
  expect(JSON.parse(read("package.json")).engines.node).toBe(`>=${node}`);
  // Its JDK is named by version; Debian 12 has Python 3.11.
  expect(image).toContain("openjdk-17-jdk");
  for (const program of ["python3-venv", "maven", "chromium", "nginx", "caddy", "pgbouncer", "postgresql"])
    expect(image).toContain(program);
});
