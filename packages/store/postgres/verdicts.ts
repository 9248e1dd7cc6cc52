import type { Call, Judged } from "../calls.ts";
import type { Lanes } from "./lanes.ts";
import { LockedCalls } from "./locked-calls.ts";
import { LockedOut } from "./locked-out.ts";
import type { PostgresValidate } from "./validate.ts";

/** Runs batches on the connections reserved for them. */
export class Verdicts {
  readonly #lanes: Lanes;
  readonly #validate: PostgresValidate;
  readonly #locked: LockedCalls;

  constructor(lanes: Lanes, validate: PostgresValidate) {
    this.#lanes = lanes;
    this.#validate = validate;
    this.#locked = new LockedCalls((calls, alone) =>
      lanes.use((client) => validate.judge(client, calls, alone)),
    );
  }

  /** A promise for each call that needs a row locked by another session; the others do not wait for it. */
  async judge(calls: readonly Call[]): Promise<readonly (Judged | Promise<Judged>)[]> {
    const outcomes = await this.#lanes.use((client) => this.#validate.judge(client, calls));
    if (!outcomes.some(isLockedOut)) return outcomes as Judged[];
    return outcomes.map((outcome, place) => {
      const call = calls[place];
      return isLockedOut(outcome) && call !== undefined
        ? this.#locked.add(call, outcome)
        : (outcome as Judged);
    });
  }

  /** Opens the connections for validations before anything else can take them. */
  reserve(count: number): Promise<void> {
    return this.#lanes.reserve(count);
  }

  close(): Promise<void> {
    return this.#lanes.close();
  }
}

function isLockedOut(outcome: Judged | LockedOut): outcome is LockedOut {
  return outcome instanceof LockedOut;
}
