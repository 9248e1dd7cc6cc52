import type { Countersign, CountersignOptions, WebhookOptions } from "@countersign/node";
import type { ModuleMetadata } from "@nestjs/common";

/** What is the same about a request on Express and on Fastify. */
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
  /** A client that is there already, instead of options for one. */
  readonly client?: Countersign;
  /** Where a request's key is. The header `X-License-Key` when left out. */
  readonly key?: KeySource;
  /** For `WebhookGuard`. */
  readonly webhook?: WebhookOptions;
}

export interface CountersignModuleAsyncOptions extends Pick<ModuleMetadata, "imports"> {
  // biome-ignore lint/suspicious/noExplicitAny: what a factory is given is what `inject` names.
  readonly useFactory: (...given: any[]) => CountersignModuleOptions | Promise<CountersignModuleOptions>;
  // biome-ignore lint/suspicious/noExplicitAny: tokens are of every kind.
  readonly inject?: any[];
  /** Everywhere in the app without importing the module again. True when left out. */
  readonly isGlobal?: boolean;
}

export const optionsToken = Symbol("countersign options");
