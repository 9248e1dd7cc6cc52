import type { ProblemCode } from "@countersign/contract/problems/problems";
import { Problem } from "../http/problem.ts";
import { actorId } from "./actor.ts";
import type { OrganizationContext } from "./context.ts";

export interface ShareLimits {
  readonly perCaller: number;
  readonly perOrganization: number;
  /** Of this process. */
  readonly inAll: number;
}

/** The refusals of a caller or organization that has its share. */
type ShareCode = Extract<ProblemCode, `too_many_${"streams" | "polls" | "exports"}` | "server_busy">;

const retryAfter = { headers: { "retry-after": "5" } };

/** Limits how many requests of a kind that lasts are in progress, so that nobody can have all that there is room for. */
export class Shares {
  readonly #limits: ShareLimits;
  readonly #code: ShareCode;
  /** By caller or organization. */
  readonly #counts = new Map<string, number>();
  #inAll = 0;

  constructor(limits: ShareLimits, code: ShareCode) {
    this.#limits = limits;
    this.#code = code;
  }

  /** Returns a function that ends it; a second call does nothing. */
  enter(context: OrganizationContext): () => void {
    const { perCaller, perOrganization, inAll } = this.#limits;
    const caller = `caller ${actorId(context.actor)}`;
    const organization = `organization ${context.organization.id}`;
    this.#check(caller, perCaller);
    this.#check(organization, perOrganization);
    if (this.#inAll >= inAll) throw new Problem("server_busy", {}, retryAfter);
    this.#count([caller, organization], 1);
    let isOver = false;
    return () => {
      if (!isOver) this.#count([caller, organization], -1);
      isOver = true;
    };
  }

  #check(name: string, limit: number): void {
    if ((this.#counts.get(name) ?? 0) < limit) return;
    if (this.#code === "server_busy") throw new Problem(this.#code, {}, retryAfter);
    throw new Problem(this.#code, { limit }, retryAfter);
  }

  #count(names: readonly string[], change: 1 | -1): void {
    this.#inAll += change;
    for (const name of names) {
      const count = (this.#counts.get(name) ?? 0) + change;
      if (count === 0) this.#counts.delete(name);
      else this.#counts.set(name, count);
    }
  }
}
