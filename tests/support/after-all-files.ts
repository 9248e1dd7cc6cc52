import { afterAll } from "bun:test";
import { afterAllFiles } from "./shared-resources.ts";

/**
 * Closes shared resources after all test files of this process. bunfig.toml loads it before the first file. Nothing
 * imports it, because it only works in the test runner, and the long fault tests run without it.
 */
afterAll(async () => {
  for (const close of afterAllFiles) await close();
});
