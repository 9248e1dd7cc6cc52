import type * as Sdk from "../src/index.ts";

export function runWebhook(sdk: typeof Sdk, testCase: object): Promise<void>;
export function runSignedWebhook(sdk: typeof Sdk, testCase: object): Promise<void>;
export function runPortalUrl(sdk: typeof Sdk, testCase: object): Promise<void>;
export function runDeviceId(deviceIdFrom: (app: string, facts: never) => string, testCase: object): void;
