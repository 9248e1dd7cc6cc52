export type ProofMethod = "password" | "passkey" | "code";

interface AccountAccess {
  readonly two_factor_enabled: boolean;
  readonly sign_in_methods: { readonly password: boolean; readonly passkeys: readonly unknown[] };
}

/** How users can confirm their identity, the most common first. Empty for an account that only uses Discord. */
export function proofMethods(me: AccountAccess, canUsePasskeys: boolean): ProofMethod[] {
  const { password, passkeys } = me.sign_in_methods;
  return [
    ...(password ? (["password"] as const) : []),
    ...(passkeys.length > 0 && canUsePasskeys ? (["passkey"] as const) : []),
    ...(me.two_factor_enabled ? (["code"] as const) : []),
  ];
}
