import { afterAll } from "bun:test";

/** What is closed when all test files of this process have run. Loaded before the first of them: see bunfig.toml. */
export const afterAllFiles: (() => Promise<void>)[] = [];

afterAll(async () => {
  for (const close of afterAllFiles) await close();
});
