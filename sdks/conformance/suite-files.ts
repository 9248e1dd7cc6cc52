import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Case, Delivery, DeviceIdCase, PortalUrl, SignedWebhook } from "./case.ts";

export interface SuiteFile {
  readonly about: string;
  readonly cases?: readonly Case[];
  readonly webhooks?: readonly Delivery[];
  readonly signed_webhooks?: readonly SignedWebhook[];
  readonly portal_urls?: readonly PortalUrl[];
  readonly device_ids?: readonly DeviceIdCase[];
}

/** The content of the JSON files in this folder, by file name. */
export function suiteFiles(): [string, SuiteFile][] {
  return readdirSync(import.meta.dir)
    .filter((name) => name.endsWith(".json"))
    .map((name) => [name, JSON.parse(readFileSync(join(import.meta.dir, name), "utf8"))]);
}
