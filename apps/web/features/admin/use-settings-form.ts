import { useTranslation } from "react-i18next";
import type { Answer, Body } from "../../api/client.ts";
import { useChange } from "../../api/queries.ts";
import { notify } from "../../ui/notify.tsx";
import { useForm } from "../../ui/use-form.tsx";
import { changedFields } from "./changed-fields.ts";

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
