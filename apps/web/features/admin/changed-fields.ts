/** The fields that differ from the saved ones. Others are not sent, so that they keep what someone else set meanwhile. */
export function changedFields<Fields extends object>(saved: Fields, typed: Fields): Partial<Fields> {
  return Object.fromEntries(
    Object.entries(typed).filter(([name, value]) => value !== saved[name as keyof Fields]),
  ) as Partial<Fields>;
}
