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
  readonly #makeRoom: (organizationId: string) => void;
  /** By caller or organization. */
  readonly #counts = new Map<string, number>();
  #inAll = 0;
  #refused = 0;

  /** `makeRoom` can end one of another organization, if there is no room for another in all. */
  constructor(limits: ShareLimits, code: ShareCode, makeRoom: (organizationId: string) => void = () => {}) {
    this.#limits = limits;
    this.#code = code;
    this.#makeRoom = makeRoom;
  }

  get use() {
    return { inUse: this.#inAll, limit: this.#limits.inAll, refused: this.#refused };
  }

  /** Returns a function that ends it; a second call does nothing. */
  enter(context: OrganizationContext): () => void {
    const { perCaller, perOrganization, inAll } = this.#limits;
    const caller = `caller ${actorId(context.actor)}`;
    const { id } = context.organization;
    const organization = `organization ${id}`;
    this.#check(caller, perCaller);
    this.#check(organization, perOrganization);
    if (this.#inAll >= inAll) this.#makeRoom(id);
    if (this.#inAll >= inAll) throw this.#refusal("server_busy");
    this.#count([caller, organization], 1);
    let isOver = false;
    return () => {
      if (!isOver) this.#count([caller, organization], -1);
      isOver = true;
    };
  }

  #check(name: string, limit: number): void {
    if ((this.#counts.get(name) ?? 0) < limit) return;
    throw this.#refusal(this.#code, limit);
  }

  #refusal(code: ShareCode, limit = 0): Problem {
    this.#refused += 1;
    return code === "server_busy"
      ? new Problem(code, {}, retryAfter)
      : new Problem(code, { limit }, retryAfter);
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
