import type { Countersign, CountersignOptions, WebhookOptions } from "@countersign/node";
import type { ModuleMetadata } from "@nestjs/common";

/** What requests have in common on Express and Fastify. */
export interface AnyRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly query?: unknown;
  readonly body?: unknown;
  readonly rawBody?: Uint8Array;
}

export type KeySource =
  | { readonly header: string }
  | { readonly query: string }
  | { readonly body: string }
  | ((request: AnyRequest) => string | null | undefined | Promise<string | null | undefined>);

export interface CountersignModuleOptions extends CountersignOptions {
  /** An existing client, instead of options for one. */
  readonly client?: Countersign;
  /** Where to find a request's key. Defaults to the `X-License-Key` header. */
  readonly key?: KeySource;
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
