import { afterAll } from "bun:test";

/** Closes shared resources after all test files of this process. bunfig.toml loads it before the first file. */
export const afterAllFiles: (() => Promise<void>)[] = [];

afterAll(async () => {
  for (const close of afterAllFiles) await close();
});
