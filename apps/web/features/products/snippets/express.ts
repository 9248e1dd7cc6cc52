// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the programs written here have template strings of their own.

import { nodeModule } from "./node.ts";
import { type Blanks, lines, type Snippet } from "./snippet.ts";

export function express(blanks: Blanks): Snippet[] {
  return [
    nodeModule(blanks, "countersign.mjs", false),
    {
      file: "app.mjs",
      text: lines(
        `import express from "express"; // 5`,
        `import { validate } from "./countersign.mjs";`,
        "",
        "let known = { until: 0 };",
        "",
        "/** Asks at most once an hour, or once a minute while the license is refused. */",
        "async function requireLicense(request, response, next) {",
        "  if (known.until < Date.now()) {",
        `    const { valid, status } = await validate(process.env.LICENSE_KEY, "1.0.0");`,
        "    known = { valid, status, until: Date.now() + (valid ? 3_600_000 : 60_000) };",
        "  }",
        "  if (known.valid) return next();",
        "  response.status(403).json({ message: `The license is refused: ${known.status}` });",
        "}",
        "",
        "const app = express();",
        "app.use(requireLicense);",
        `app.get("/", (request, response) => response.send("Licensed."));`,
        "app.listen(8080);",
      ),
    },
  ];
}
