/** What closes the resources that test files of this process share: `after-all-files.ts` runs it. */
export const afterAllFiles: (() => Promise<void>)[] = [];
