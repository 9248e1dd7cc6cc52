import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { authBase } from "@countersign/contract/auth/route";
import { authRoutes } from "@countersign/contract/auth/routes";
import { Glob } from "bun";

const tests = join(import.meta.dir, "..");
const calls = [...new Glob("{manage,support}/*.ts").scanSync(tests)]
  .map((file) => readFileSync(join(tests, file), "utf8"))
  .join("\n");

// The client of these tests holds every response of a sign-in route against the contract of the route.
test.each(authRoutes.map(({ method, path }) => [method, path] as const))(
  "%s %s is called by a test",
  (_, path) => {
    // The browser is sent there by Discord.
    if (path === "/callback/discord") expect(calls).toContain("discord.approve(");
    else expect(calls).toMatch(new RegExp(`["\`](?:${authBase})?${RegExp.escape(path)}["\`?]`));
  },
);
