import type { Call, CallResult } from "../batches/calls.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import { LockedCalls } from "./locked-calls.ts";
import { LockedOut } from "./locked-out.ts";
import type { PostgresValidate } from "./validate.ts";

/** Runs batches on the connections reserved for them. */
export class Verdicts {
  readonly #pool: ConnectionPool;
  readonly #validate: PostgresValidate;
  readonly #locked: LockedCalls;

  constructor(pool: ConnectionPool, validate: PostgresValidate) {
    this.#pool = pool;
    this.#validate = validate;
    this.#locked = new LockedCalls((calls, alone) =>
      pool.use((client) => validate.validateBatch(client, calls, alone)),
    );
  }

  /** A promise for each call that needs a row locked by another session; the others do not wait for it. */
  async validateBatch(calls: readonly Call[]): Promise<readonly (CallResult | Promise<CallResult>)[]> {
    const outcomes = await this.#pool.use((client) => this.#validate.validateBatch(client, calls));
    if (!outcomes.some(isLockedOut)) return outcomes as CallResult[];
    return outcomes.map((outcome, position) => {
      const call = calls[position];
      return isLockedOut(outcome) && call !== undefined
        ? this.#locked.add(call, outcome)
        : (outcome as CallResult);
    });
  }

  /** Opens the connections for validations before anything else can take them. */
  reserve(count: number): Promise<void> {
    return this.#pool.reserve(count);
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

function isLockedOut(outcome: CallResult | LockedOut): outcome is LockedOut {
  return outcome instanceof LockedOut;
}
