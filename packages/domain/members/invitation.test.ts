import { expect, test } from "bun:test";
import {
  generateInvitationToken,
  hashInvitationToken,
  type InvitationState,
  invitationState,
} from "./invitation.ts";

const nowMs = 1_000;

test.each<[InvitationState, number | null, number | null, number]>([
  ["pending", null, null, nowMs + 1],
  ["expired", null, null, nowMs],
  ["accepted", 500, null, nowMs - 1],
  ["revoked", null, 500, nowMs + 1],
  ["revoked", null, 500, nowMs - 1],
])(
  "an invitation is %p if accepted at %p, revoked at %p and due at %p",
  (state, acceptedAtMs, revokedAtMs, dueMs) => {
    expect(invitationState({ acceptedAtMs, revokedAtMs, expiresAtMs: dueMs }, nowMs)).toBe(state);
  },
);

test("an invitation token needs no escaping in a URL, and is found by its hash", () => {
  const { token, hash } = generateInvitationToken((count) => new Uint8Array(count).fill(255));
  expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(hashInvitationToken(token)).toBe(hash);
});
