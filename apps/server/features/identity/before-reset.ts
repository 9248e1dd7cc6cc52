import { userById } from "@countersign/store/queries/identity/users";
import type { Store } from "@countersign/store/store";
import { invalidField } from "../../http/problem.ts";
import type { HookContext } from "./hook-context.ts";
import { resetIdentifier } from "./password-link.ts";
import { passwordFault } from "./password-rules.ts";

/**
 * Only the token from the email identifies whose password is set: the new one is also checked against their name and
 * email address. An invalid token is left for the library to reject.
 */
export async function beforeReset(context: HookContext, store: Store): Promise<void> {
  if (context.path !== "/reset-password") return;
  const { token, newPassword } = context.body;
  const kept = await context.context.internalAdapter.findVerificationValue(resetIdentifier(String(token)));
  const user = kept === null ? undefined : await userById(store.reads, kept.value);
  if (user === undefined) return;
  const fault = await passwordFault(String(newPassword), user);
  if (fault !== null) throw invalidField("newPassword", fault);
}
