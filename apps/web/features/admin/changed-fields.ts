/** The typed fields that differ from the saved ones. Others are not sent, so that they keep what someone else set meanwhile. */
export function changedFields<Typed extends object>(
  saved: { readonly [Name in keyof Typed]: unknown },
  typed: Typed,
): Partial<Typed> {
  return Object.fromEntries(
    Object.entries(typed).filter(([name, value]) => value !== saved[name as keyof Typed]),
  ) as Partial<Typed>;
}
