import { useTranslation } from "react-i18next";
import type { Answer, Body } from "../../api/client.ts";
import { useChange } from "../../api/queries.ts";
import { notify } from "../../ui/notify.tsx";
import { changedFields } from "./changed-fields.ts";

export type Settings = Answer<"getPlatformSettings">;

/** Saves the changed settings of one panel. */
export function useSaveSettings() {
  const { t } = useTranslation("admin");
  const change = useChange("updatePlatformSettings");
  return {
    error: change.error,
    isBusy: change.isPending,
    // The new state remounts the form, and callbacks of an unmounted form are not called.
    save: <Fields extends Body<"updatePlatformSettings"> & object>(saved: Fields, typed: Fields) =>
      change.mutateAsync({ body: changedFields(saved, typed) }).then(
        () => notify(t("terms.done")),
        // The error is shown above the button.
        () => undefined,
      ),
  };
}
