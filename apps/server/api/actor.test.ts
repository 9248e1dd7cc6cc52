import { expect, test } from "bun:test";
import { everyPermission } from "@countersign/domain/members/permissions";
import { type Actor, actorId } from "./actor.ts";

const ada = { userId: "a user", name: "Ada", email: "ada@example.com", isPlatformAdmin: false };
const person = { kind: "person", ...ada, atMost: everyPermission } as const;

const byToken = { tokenId: "a token", name: "CI", organizationId: "o", permissions: everyPermission };
const customer = { personId: "a customer", sessionId: "s", emails: [], discordIds: [] };

/** A token must never get the stored response to a request of a more powerful one. */
test.each<[string, Actor, string]>([
  ["all sessions of a user share", { ...person, by: { session: "a session" } }, "a user"],
  ["each token of a user has", { ...person, by: { token: "a token" } }, "a token"],
  ["each token of an organization has", { kind: "token", ...byToken }, "a token"],
  ["each customer has", { kind: "customer", ...customer }, "a customer"],
])("%s their own idempotency keys", (_, actor, id) => expect(actorId(actor)).toBe(id));
