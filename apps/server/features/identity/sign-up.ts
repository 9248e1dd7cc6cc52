import { hashInvitationToken } from "@countersign/domain/members/invitation";
import { userByEmail } from "@countersign/store/queries/identity/users";
import { pendingInvitationByToken } from "@countersign/store/queries/invitations/invitations";
import { Problem } from "../../http/problem.ts";
import { audit } from "../audit-log/record.ts";
import { platformSettings } from "../settings/platform-settings.ts";
import type { AuthApiParts, AuthCall } from "./auth-call.ts";
import { emailIsProven } from "./better-auth.ts";

/**
 * Creates an account, if this server allows it. The response is the same whether or not the email address already has
 * one: the email that follows says which.
 */
export async function signUp(
  call: AuthCall,
  parts: AuthApiParts,
  make: () => Promise<Response>,
): Promise<Response> {
  const { store, config } = parts;
  const email = String(call.body.email).toLowerCase();
  const invitationId = await invitationFor(call, parts, email);
  if (invitationId === null && (await platformSettings(store.reads, config)).sign_up === "closed")
    throw new Problem("sign_up_closed");
  const before = await userByEmail(store.reads, email);
  const response = invitationId !== null ? await emailIsProven.run(true, make) : await make();
  const isTaken = response.status === 422;
  if (!response.ok && !isTaken) return response;
  const made = before === undefined ? await userByEmail(store.reads, email) : undefined;
  if (made !== undefined && !isTaken) {
    await store.transaction((db) =>
      audit(
        db,
        { ...call, organization: null, actor: null },
        {
          action: "person.signed_up",
          subject: { kind: "person", id: made.id, name: made.name },
          // The audit entry of the invitation says whether its link was emailed or passed on.
          ...(invitationId === null ? {} : { after: { invitation_id: invitationId } }),
        },
      ),
    );
  }
  return Response.json({ status: true });
}

/** The ID of the invitation in the request; null if there is none. */
async function invitationFor(call: AuthCall, { store }: AuthApiParts, email: string): Promise<string | null> {
  const { invitationToken } = call.body;
  if (invitationToken === undefined) return null;
  const hash = hashInvitationToken(String(invitationToken));
  const invitation = await pendingInvitationByToken(store.reads, hash, call.nowMs);
  if (invitation !== undefined && invitation.email === email) return invitation.id;
  throw new Problem("invalid_invitation");
}
