import { useTranslation } from "react-i18next";
import type { Answer, Body } from "../../api/client.ts";
import { useChange } from "../../api/queries.ts";
import { notify } from "../../ui/notify.tsx";
import { useForm } from "../../ui/use-form.tsx";

export type Settings = Answer<"getPlatformSettings">;

/** Some of the server's settings, which are saved together. */
export function useSettingsForm<Values extends object>(
  start: Values,
  bodyOf: (values: Values) => Body<"updatePlatformSettings"> & object,
) {
  const { t } = useTranslation("admin");
  const save = useChange("updatePlatformSettings");
  return useForm({
    start,
    send: async (values) => {
      await save.mutateAsync({ body: changedFields(bodyOf(start), bodyOf(values)) });
      notify(t("terms.done"));
    },
  });
}

/** The typed fields that differ from the saved ones. Others are not sent, so that they keep what someone else set meanwhile. */
export function changedFields<Typed extends object>(
  saved: { readonly [Name in keyof Typed]: unknown },
  typed: Typed,
): Partial<Typed> {
  return Object.fromEntries(
    Object.entries(typed).filter(([name, value]) => value !== saved[name as keyof Typed]),
  ) as Partial<Typed>;
}
