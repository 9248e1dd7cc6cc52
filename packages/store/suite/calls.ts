import { type IpAddress, parseIpAddress } from "@countersign/domain/ip/ip-address";
import { matchForm } from "@countersign/domain/licenses/key";
import { hashApiKey, parseApiKey } from "@countersign/domain/products/api-key";
import type { TestOrganization } from "../../../tests/support/test-organization.ts";
import type { Call, CallResult, Question } from "../batches/calls.ts";
import { StorageUnavailable } from "../errors/problem.ts";
import type { Store } from "../store.ts";

export interface CallerDetails {
  readonly ip?: string;
  readonly version?: string | null;
  readonly counted?: boolean;
}

export function validate(apiKey: string, licenseKey: string, details: CallerDetails = {}): Call {
  const { version = null } = details;
  return callOf(apiKey, details, { kind: "validate", keyMatch: matchForm(licenseKey), version });
}

export function lookup(apiKey: string, licenseKey: string): Call {
  return callOf(apiKey, {}, { kind: "lookup", keyMatch: matchForm(licenseKey) });
}

export function admission(apiKey: string): Call {
  return callOf(apiKey, {}, { kind: "admission" });
}

function callOf(apiKey: string, { ip, counted = false }: CallerDetails, question: Question): Call {
  const publicId = parseApiKey(apiKey)?.publicId ?? "";
  return {
    apiKey: { publicId, hash: hashApiKey(apiKey) },
    ipAddress: ipAddress(ip ?? "203.0.113.1"),
    counted,
    question: () => question,
  };
}

export function ipAddress(text: string): IpAddress {
  const parsed = parseIpAddress(text);
  if (parsed === null) throw new Error(`${text} is no address.`);
  return parsed;
}

type Of<Tag extends CallResult["tag"]> = Extract<CallResult, { tag: Tag }>;

/** The result, which must be of this kind. */
export function as<Tag extends CallResult["tag"]>(tag: Tag, result: CallResult | undefined): Of<Tag> {
  if (result?.tag === tag) return result as Of<Tag>;
  throw new Error(`Expected a call that is ${tag}, and it is ${result?.tag}.`);
}

/** The results of one batch, once those that wait for locked rows are there too. */
export async function validateAll(store: Store, calls: readonly Call[]): Promise<CallResult[]> {
  return Promise.all(await store.validate(calls));
}

export async function validateOne(store: Store, call: Call): Promise<CallResult> {
  const [result] = await validateAll(store, [call]);
  if (result === undefined) throw new Error("A call was not answered.");
  return result;
}

type Caller = Pick<TestOrganization, "store" | "apiKey">;

/** The result of one validation, by the organization's store or by another node's. */
export async function ask(
  org: Caller,
  licenseKey: string,
  { on = org.store, ...details }: CallerDetails & { readonly on?: Store } = {},
): Promise<CallResult> {
  return validateOne(on, validate(org.apiKey, licenseKey, details));
}

export async function validated(...asked: Parameters<typeof ask>) {
  return as("validated", await ask(...asked));
}

export async function verdictOf(...asked: Parameters<typeof ask>) {
  return (await validated(...asked)).verdict;
}

export async function statusOf(...asked: Parameters<typeof ask>): Promise<string> {
  return (await verdictOf(...asked)).status;
}

/** The results of one batch that validates a key from each of these IP addresses. */
export function askFrom({ store, apiKey }: Caller, licenseKey: string, ips: readonly string[]) {
  return validateAll(
    store,
    ips.map((ip) => validate(apiKey, licenseKey, { ip })),
  );
}

/** What becomes of as many calls of one batch. */
export async function tagsOf({ store, apiKey }: Caller, count: number, make = validate): Promise<string[]> {
  return (
    await validateAll(
      store,
      times(count, () => make(apiKey, "X")),
    )
  ).map(({ tag }) => tag);
}

export async function verdict(store: Store, call: Call) {
  return as("validated", await validateOne(store, call)).verdict;
}

export async function recordOf({ store, apiKey }: Caller, licenseKey: string) {
  return as("looked_up", await validateOne(store, lookup(apiKey, licenseKey))).record;
}

/** Validates the calls on all nodes concurrently, each with as many batches in progress as a server has. */
export async function race(
  nodes: readonly Store[],
  calls: readonly Call[],
  batchSize: number,
): Promise<CallResult[]> {
  const answers = new Map<Call, CallResult>();
  const waiting = [...calls];
  const work = async (store: Store) => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, batchSize);
      const result = await validateUntilInTime(store, batch);
      batch.forEach((call, index) => {
        const answer = result[index];
        if (answer !== undefined) answers.set(call, answer);
      });
    }
  };
  await Promise.all(
    nodes.flatMap((store) => Array.from({ length: store.batching.maxInFlight }, () => work(store))),
  );
  return calls.flatMap((call) => answers.get(call) ?? []);
}

/**
 * All batches wait for the same rows. On a busy machine the last can exceed the time limit of a statement: nothing of
 * such a batch was written, and its callers would repeat it.
 */
async function validateUntilInTime(store: Store, batch: readonly Call[]): Promise<readonly CallResult[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await validateAll(store, batch);
    } catch (error) {
      const wasSlow = error instanceof StorageUnavailable && error.reason === "slow";
      if (!wasSlow || attempt === maxAttempts) throw error;
    }
  }
}

const maxAttempts = 5;

export function countTags(result: readonly CallResult[], tag: CallResult["tag"]): number {
  return result.filter((one) => one.tag === tag).length;
}

export function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
