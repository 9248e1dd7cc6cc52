/** The names of the placeholders of a path, such as `license_id` of `/licenses/{license_id}/ips`. */
type Placeholder<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholder<Rest>
  : never;

/** A value for each placeholder of a path. For a path that the types do not know, any values. */
export type ParamsOf<Path extends string> = string extends Path
  ? Readonly<Record<string, string>>
  : { readonly [Name in Placeholder<Path>]: string };

/** A member `params`, required if the path has placeholders. */
export type WithParams<Path extends string> = string extends Path
  ? { readonly params?: Readonly<Record<string, string>> }
  : [Placeholder<Path>] extends [never]
    ? { readonly params?: never }
    : { readonly params: ParamsOf<Path> };

/** The argument with what a route is called with: it can be left out if nothing in it is required. */
export type Rest<Input extends object> =
  Record<never, never> extends Input ? [input?: Input] : [input: Input];

/** What any route is called with, for code that works with every one. */
export interface AnyInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: object;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  readonly idempotencyKey?: string;
}
