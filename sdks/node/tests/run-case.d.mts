import type * as Sdk from "../src/index.ts";

export function runCase(sdk: typeof Sdk, serverUrl: string, given: object): Promise<void>;
export function runWebhook(sdk: typeof Sdk, given: object): Promise<void>;
