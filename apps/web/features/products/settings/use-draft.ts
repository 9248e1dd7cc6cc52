import { useState } from "react";
import { useTranslation } from "react-i18next";
import { notify } from "../../../ui/notify.tsx";
import { fieldError } from "../../../ui/problem-alert.tsx";
import { type Changes, isOutdated, type Product, useProductChange } from "../frame/use-product.ts";

export type NumberName =
  | "default_max_ips"
  | "default_expires_in_days"
  | "expiring_soon_days"
  | "portal_ip_removals_per_30_days"
  | "transfer_cooldown_days";
export type TextName = "name" | "license_email_text" | "renewal_url";

/** Keeps the user's input until the server has accepted it. */
export function useDraft(product: Product, name: NumberName | TextName) {
  const { t } = useTranslation("products");
  const { change } = useProductChange(product);
  const [typed, setTyped] = useState<{ text: string; basis: Product[typeof name] } | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Error | null>(null);
  const submit = async (value: string | number | null) => {
    const before = product[name];
    if (typed !== null && typed.basis !== before) {
      // Someone else changed it first; the user can submit again.
      setTyped({ ...typed, basis: before });
      setProblem(new Error(t("outdated")));
      return;
    }
    setBusy(true);
    setProblem(null);
    try {
      await change({ [name]: value } as Changes);
      setTyped(null);
      notify(t("savedAs", { name: t(`setting.${name}.label`) }), () => change({ [name]: before } as Changes));
    } catch (error) {
      setProblem(isOutdated(error) ? new Error(t("outdated")) : (error as Error));
    } finally {
      setBusy(false);
    }
  };
  // The field shows every error, because there is no other place for it.
  const error = problem === null ? null : (fieldError(problem, name) ?? problem.message);
  const draft = typed?.text ?? null;
  const setDraft = (text: string) => {
    setTyped((old) => ({ text, basis: old === null ? product[name] : old.basis }));
    // Showing the same text again does not clear the error.
    if (text !== draft) setProblem(null);
  };
  return { draft, setDraft, isBusy, error, problem, submit };
}
