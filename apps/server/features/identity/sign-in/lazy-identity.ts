import type { Store } from "@countersign/store/store";
import type { SignIn } from "../../../api/access.ts";
import type { PersonActor } from "../../../api/actor.ts";
import type { Config } from "../../../base/config.ts";
import type { Log } from "../../../base/log.ts";
import { problemResponse } from "../../../http/problem.ts";
import { problemOf } from "../../../http/problem-of.ts";
import { attemptRefusal } from "../../../limits/attempts.ts";
import { Devices } from "../../../limits/devices.ts";
import { FloodLimits } from "../../../limits/flood-limits.ts";
import { asRejection } from "../../../limits/tarpit.ts";
import { signInSecret } from "../secret.ts";
import { AuthGate, type AuthRequest } from "./auth-gate.ts";
import type { Identity } from "./identity.ts";

/**
 * Sign-in, loaded on first use: its library takes longer to load than the rest of the server, and a server that only
 * validates, or is managed with tokens, never needs it.
 */
export class LazyIdentity implements SignIn {
  readonly flood: FloodLimits;
  readonly #log: Log;
  readonly #gate: AuthGate;
  readonly #open: () => Promise<Identity>;
  #identity: Promise<Identity> | null = null;

  private constructor(store: Store, config: Config, log: Log, secret: string) {
    this.flood = new FloodLimits(store);
    this.#log = log;
    const devices = new Devices(config.url, secret);
    this.#gate = new AuthGate(config, this.flood, devices, secret);
    this.#open = async () => {
      const { Identity } = await import("./identity.ts");
      return Identity.open({ store, config, log, secret, flood: this.flood, devices });
    };
  }

  static async prepare(store: Store, config: Config, log: Log): Promise<LazyIdentity> {
    return new LazyIdentity(store, config, log, await signInSecret(store));
  }

  handle(request: Request, peer: string | null, requestId: string): Response | Promise<Response> {
    try {
      const admitted = this.#gate.admit(request, peer, requestId);
      if ("route" in admitted) return this.#answer(admitted);
      return asRejection(problemResponse(attemptRefusal(admitted.retryAfterSeconds), requestId));
    } catch (error) {
      return problemResponse(problemOf(error, this.#log, requestId), requestId);
    }
  }

  async personOf(request: Request): Promise<PersonActor | null> {
    if (!this.#gate.mayBeKnown(request)) return null;
    return (await this.#loaded()).personOf(request);
  }

  async openSession(email: string, password: string, from: Request, ip: string | null): Promise<string[]> {
    return (await this.#loaded()).openSession(email, password, from, ip);
  }

  async #answer(authRequest: AuthRequest): Promise<Response> {
    const { request, requestId } = authRequest;
    try {
      const { api } = await this.#loaded();
      const response = await api.answer(authRequest, this.#gate.mayBeKnown(request));
      response.headers.set("x-request-id", requestId);
      response.headers.set("cache-control", "no-store");
      return response;
    } catch (error) {
      return problemResponse(problemOf(error, this.#log, requestId), requestId);
    }
  }

  #loaded(): Promise<Identity> {
    this.#identity ??= this.#open().catch((error) => {
      // The next request tries again: the database may have been unavailable.
      this.#identity = null;
      throw error;
    });
    return this.#identity;
  }
}
