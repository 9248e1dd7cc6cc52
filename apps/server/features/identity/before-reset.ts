import { userById } from "@countersign/store/queries/users";
import type { Store } from "@countersign/store/store";
import { invalid } from "../../http/manage/problem.ts";
import type { HookContext } from "./hook-context.ts";
import { resetIdentifier } from "./password-link.ts";
import { passwordFault } from "./password-rules.ts";

/**
 * Whose password is set with a token from a letter is known only by that token: here the new one is held against their
 * name and address as well. A token that is not good is left for the library to refuse.
 */
export async function beforeReset(context: HookContext, store: Store): Promise<void> {
  if (context.path !== "/reset-password") return;
  const { token, newPassword } = context.body;
  const kept = await context.context.internalAdapter.findVerificationValue(resetIdentifier(String(token)));
  const user = kept === null ? undefined : await userById(store.reads, kept.value);
  if (user === undefined) return;
  const fault = await passwordFault(String(newPassword), user);
  if (fault !== null) throw invalid("newPassword", fault);
}
