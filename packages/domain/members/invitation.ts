import { hash } from "node:crypto";
import { dayMs } from "../dates/lengths.ts";

/** How long an invitation can be accepted after it was written or sent again. */
export const invitationLifetimeMs = 7 * dayMs;

interface NewInvitationToken {
  /** Only in the email. */
  readonly token: string;
  readonly hash: string;
}

/** A 256-bit secret that can be part of a URL. */
export function generateInvitationToken(randomBytes: (count: number) => Uint8Array): NewInvitationToken {
  const token = Buffer.from(randomBytes(32)).toString("base64url");
  return { token, hash: hashInvitationToken(token) };
}

export function hashInvitationToken(token: string): string {
  return hash("sha256", token, "hex");
}

export const invitationStates = ["pending", "expired", "accepted", "revoked"] as const;

export type InvitationState = (typeof invitationStates)[number];

interface InvitationTimes {
  readonly acceptedAtMs: number | null;
  readonly revokedAtMs: number | null;
  readonly expiresAtMs: number;
}

export function invitationState(times: InvitationTimes, nowMs: number): InvitationState {
  if (times.acceptedAtMs !== null) return "accepted";
  if (times.revokedAtMs !== null) return "revoked";
  return times.expiresAtMs <= nowMs ? "expired" : "pending";
}
