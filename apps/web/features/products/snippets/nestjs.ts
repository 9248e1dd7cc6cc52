// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the programs written here have template strings of their own.

import { nodeModule } from "./node.ts";
import { type Blanks, lines, type Snippet } from "./snippet.ts";

export function nestjs(blanks: Blanks): Snippet[] {
  return [
    nodeModule(blanks, "countersign.ts", true),
    {
      file: "license.guard.ts",
      text: lines(
        `import { type CanActivate, ForbiddenException, Injectable } from "@nestjs/common";`,
        `import { validate } from "./countersign";`,
        "",
        "/** Asks at most once an hour, or once a minute while the license is refused. */",
        "@Injectable()",
        "export class LicenseGuard implements CanActivate {",
        `  private known = { valid: false, status: "", until: 0 };`,
        "",
        "  async canActivate(): Promise<boolean> {",
        "    if (this.known.until < Date.now()) {",
        `      const { valid, status } = await validate(process.env.LICENSE_KEY ?? "", "1.0.0");`,
        "      this.known = { valid, status, until: Date.now() + (valid ? 3_600_000 : 60_000) };",
        "    }",
        "    if (this.known.valid) return true;",
        "    throw new ForbiddenException(`The license is refused: ${this.known.status}`);",
        "  }",
        "}",
      ),
    },
    {
      file: "main.ts",
      text: lines(
        `import { NestFactory } from "@nestjs/core";`,
        `import { AppModule } from "./app.module";`,
        `import { LicenseGuard } from "./license.guard";`,
        "",
        "async function start() {",
        "  const app = await NestFactory.create(AppModule);",
        "  app.useGlobalGuards(new LicenseGuard());",
        "  await app.listen(8080);",
        "}",
        "start();",
      ),
    },
  ];
}
