import type { Countersign, CountersignOptions, WebhookOptions } from "@countersign/node";
import type { KeySource as AnyKeySource, LicenseDeciderOptions } from "@countersign/node/http";
import type { ModuleMetadata } from "@nestjs/common";

/** What requests have in common on Express and Fastify. */
export interface AnyRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly query?: unknown;
  readonly body?: unknown;
  readonly rawBody?: Uint8Array;
  /** On Express, depends on `trust proxy`; on Fastify, on `trustProxy`. */
  readonly ip?: string;
}

export type KeySource = AnyKeySource<AnyRequest>;

type GuardOptions = Pick<
  LicenseDeciderOptions<unknown, AnyRequest>,
  "key" | "address" | "unknownKeysPerMinute" | "logger"
>;

/** `logger` defaults to the logger of NestJS. */
export interface CountersignModuleOptions extends CountersignOptions, GuardOptions {
  /** An existing client, instead of options for one. */
  readonly client?: Countersign<unknown>;
  /** For `WebhookGuard`. */
  readonly webhook?: WebhookOptions;
}

export interface CountersignModuleAsyncOptions extends Pick<ModuleMetadata, "imports"> {
  // biome-ignore lint/suspicious/noExplicitAny: the arguments of a factory depend on `inject`.
  readonly useFactory: (...args: any[]) => CountersignModuleOptions | Promise<CountersignModuleOptions>;
  // biome-ignore lint/suspicious/noExplicitAny: a token can have any type.
  readonly inject?: any[];
  /** Whether the module is global. Defaults to true. */
  readonly isGlobal?: boolean;
}

export const optionsToken = Symbol("countersign options");
