import { Agent } from "node:http";
import { Agent as SecureAgent } from "node:https";

/** So long a connection is kept when nothing is sent. Many receivers close theirs after five seconds. */
const idleMs = 4_000;
/** To one address and port, under one name. */
const mostIdle = 32;

/**
 * Connections that are used again. They are kept by address, port and, with TLS, the name in the handshake, so that a
 * request goes only where its own address was checked to lead, and only to whoever proved that name.
 */
export class KeptConnections {
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
