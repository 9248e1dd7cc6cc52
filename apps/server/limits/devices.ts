import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { userById } from "@countersign/store/queries/identity/users";
import type { Database, Store } from "@countersign/store/store";
import type { UserRow } from "@countersign/store/tables/sign-in";
import { cookieIn, cookiePrefix } from "../http/session-cookie.ts";

/** A browser in which someone has signed in before. It grants no access, only a separate limit. */
export interface Device {
  readonly id: string;
  readonly userId: string;
  readonly issuedAtMs: number;
}

/** Devices of users, and devices of the portal's customers, which are separate. */
type DeviceKind = "device" | "portal_device";

const keptForSeconds = 180 * 86_400;

/** Marks browsers with a signed cookie, so that others' attempts on an account do not lock its owner out. */
export class Devices {
  readonly #name: string;
  readonly #secret: string;
  readonly #attributes: string;
  readonly #kind: DeviceKind;
  readonly #now: () => number;

  constructor(url: string, secret: string, kind: DeviceKind = "device", now: () => number = Date.now) {
    this.#name = `${cookiePrefix(url)}.${kind}`;
    this.#kind = kind;
    this.#secret = secret;
    const secure = new URL(url).protocol === "https:" ? "; Secure" : "";
    this.#attributes = `; Max-Age=${keptForSeconds}; Path=/; HttpOnly${secure}; SameSite=Lax`;
    this.#now = now;
  }

  /**
   * The device named by a cookie of this server, by its signature alone. The database knows whether it is still valid.
   */
  claimedBy(headers: Headers): Device | null {
    const [userId, id, issued, signature, ...more] = cookieIn(headers, this.#name)?.split(".") ?? [];
    if (!userId || !id || !issued || !signature || more.length > 0) return null;
    const expected = this.#sign(`${userId}.${id}.${issued}`);
    const given = Buffer.from(signature, "base64url");
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
    const issuedAtMs = Number(issued);
    return issuedAtMs + keptForSeconds * 1_000 > this.#now() ? { id, userId, issuedAtMs } : null;
  }

  /** The cookie for a browser in which this person has just signed in. A device keeps its ID. */
  cookieFor(userId: string, before: Device | null, atMs: number): string {
    const id = before?.userId === userId ? before.id : randomBytes(12).toString("base64url");
    const text = `${userId}.${id}.${atMs}`;
    return `${this.#name}=${text}.${this.#sign(text).toString("base64url")}${this.#attributes}`;
  }

  #sign(text: string): Buffer {
    // Separate from other uses of the same secret.
    return createHmac("sha256", this.#secret).update(`${this.#kind}\n${text}`).digest();
  }
}

/**
 * When a browser is marked as known. It is compared with the last password change, which another node may have made:
 * both use the database's clock.
 */
export async function markedAt(store: Store, userId: string): Promise<number> {
  const user = await userById(store.reads, userId);
  return Math.max(await store.clock(), Number(user?.devices_since ?? 0));
}

/** The owner of a device that is still valid: it was marked after the last password change. */
export async function ownerOf(db: Database, device: Device): Promise<UserRow | null> {
  const user = await userById(db, device.userId);
  if (user === undefined || user.suspended_at !== null) return null;
  return device.issuedAtMs >= Number(user.devices_since) ? user : null;
}
