import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { validateStatuses } from "@countersign/domain/validate/status";

test("the reference names every status of a validation, and that of a server whose database does not answer", () => {
  const text = readFileSync(join(import.meta.dir, "../../docs/reference/validation.md"), "utf8");
  for (const status of [...validateStatuses, "unavailable"]) expect(text).toContain(`\`${status}\``);
});
