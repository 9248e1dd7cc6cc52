import type { Store } from "@countersign/store/store";
import type { Config } from "../../config.ts";
import type { SignIn } from "../../http/manage/access.ts";
import type { PersonActor } from "../../http/manage/actor.ts";
import type { Log } from "../../log.ts";
import { FloodLimits } from "./flood-limits.ts";
import type { Identity } from "./identity.ts";
import { signInSecret } from "./secret.ts";

/**
 * Signing people in, loaded when somebody first does: the library behind it takes longer to load than all the rest of
 * the server, and a server that only validates, or is managed with tokens, never needs it.
 */
export class LateIdentity implements SignIn {
  readonly flood = new FloodLimits();
  readonly #open: () => Promise<Identity>;
  #identity: Promise<Identity> | null = null;

  private constructor(store: Store, config: Config, log: Log, secret: string) {
    this.#open = async () => {
      const { Identity } = await import("./identity.ts");
      return Identity.open(store, config, log, secret, this.flood);
    };
  }

  static async prepare(store: Store, config: Config, log: Log): Promise<LateIdentity> {
    return new LateIdentity(store, config, log, await signInSecret(store));
  }

  async handle(request: Request, peer: string | null, requestId: string): Promise<Response> {
    return (await this.#loaded()).api.handle(request, peer, requestId);
  }

  async personOf(request: Request): Promise<PersonActor | null> {
    if (!request.headers.has("cookie")) return null;
    return (await this.#loaded()).personOf(request);
  }

  async openSession(email: string, password: string, from: Request, ip: string | null): Promise<string[]> {
    return (await this.#loaded()).openSession(email, password, from, ip);
  }

  async close(): Promise<void> {
    (await this.#identity)?.close();
  }

  #loaded(): Promise<Identity> {
    this.#identity ??= this.#open().catch((error) => {
      // The next one tries again: the database may have been away.
      this.#identity = null;
      throw error;
    });
    return this.#identity;
  }
}
