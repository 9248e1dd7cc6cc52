import { hashInvitationToken } from "@countersign/domain/members/invitation";
import { pendingInvitationByToken } from "@countersign/store/queries/invitations";
import { userByEmail } from "@countersign/store/queries/users";
import { Problem } from "../../http/manage/problem.ts";
import { audit } from "../audit-log/record.ts";
import type { AuthApiParts, AuthCall } from "./auth-api.ts";
import { addressIsProven } from "./better-auth.ts";

/**
 * Makes an account, where this server lets somebody. The answer is the same whether the address had one already: the
 * letter that follows says which.
 */
export async function signUp(
  call: AuthCall,
  parts: AuthApiParts,
  make: () => Promise<Response>,
): Promise<Response> {
  const { store, config } = parts;
  if (config.signUp === "closed")
    throw new Problem("forbidden", "Nobody can sign up on this server. Ask its operator for an account.");
  const email = String(call.body.email).toLowerCase();
  const isInvited = await hasInvitation(call, parts, email);
  if (config.signUp === "invitation" && !isInvited) {
    throw new Problem(
      "forbidden",
      "Signing up needs an invitation. Use the link in the letter that you got.",
    );
  }
  const before = await userByEmail(store.reads, email);
  const response = isInvited ? await addressIsProven.run(true, make) : await make();
  const isTaken = response.status === 422;
  if (!response.ok && !isTaken) return response;
  const made = before === undefined ? await userByEmail(store.reads, email) : undefined;
  if (made !== undefined && !isTaken) {
    await store.transaction((db) =>
      audit(
        db,
        { ...call, organization: null, actor: null },
        { action: "person.signed_up", subject: { kind: "person", id: made.id, name: made.name } },
      ),
    );
  }
  return Response.json({ status: true });
}

async function hasInvitation(call: AuthCall, { store }: AuthApiParts, email: string): Promise<boolean> {
  const { invitationToken } = call.body;
  if (invitationToken === undefined) return false;
  const hash = hashInvitationToken(String(invitationToken));
  const invitation = await pendingInvitationByToken(store.reads, hash, call.nowMs);
  if (invitation !== undefined && invitation.email === email) return true;
  throw new Problem(
    "forbidden",
    "The invitation is not good: it is for another address, was used or taken back, or has run out.",
  );
}
