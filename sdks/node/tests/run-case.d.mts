import type * as Sdk from "../src/index.ts";

export function runCase(sdk: typeof Sdk, serverUrl: string, testCase: object): Promise<void>;
