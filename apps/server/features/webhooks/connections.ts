import { Agent } from "node:http";
import { Agent as SecureAgent } from "node:https";

/** How long an idle connection is kept. Many receivers close theirs after five seconds. */
const idleMs = 4_000;
/** Per IP address, port and name. */
const mostIdle = 32;

/**
 * Reusable connections, by IP address, port and, with TLS, the name in the handshake, so that a request only goes to an
 * IP address that was checked for it, and only to a host that proved that name.
 */
export class ConnectionCache {
  readonly #plain: Agent;
  readonly #secure: SecureAgent;

  constructor(keptMs = idleMs) {
    const settings = { keepAlive: true, timeout: keptMs, maxFreeSockets: mostIdle };
    this.#plain = new Agent(settings);
    this.#secure = new SecureAgent(settings);
  }

  agentFor(isSecure: boolean): Agent {
    return isSecure ? this.#secure : this.#plain;
  }

  close(): void {
    this.#plain.destroy();
    this.#secure.destroy();
  }
}
