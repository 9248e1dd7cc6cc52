import type * as Sdk from "../src/index.ts";

export function runCase(sdk: typeof Sdk, serverUrl: string, testCase: object): Promise<void>;
export function runWebhook(sdk: typeof Sdk, testCase: object): Promise<void>;
export function runPortalUrl(sdk: typeof Sdk, testCase: object): Promise<void>;
