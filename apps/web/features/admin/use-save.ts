import { useTranslation } from "react-i18next";
import type { Input, RouteId } from "../../api/client.ts";
import { useChange } from "../../api/queries.ts";
import { notify } from "../../ui/notify.tsx";

/** Saves a form that is remounted with what was saved. Its refusal is shown in the form. */
export function useSave<Id extends RouteId>(id: Id) {
  const { t } = useTranslation("admin");
  const change = useChange(id);
  return {
    error: change.error,
    isBusy: change.isPending,
    // Callbacks passed to `mutate` are not called once the form is unmounted.
    save: (input: Input<Id, "signal">): Promise<void> =>
      change.mutateAsync(input).then(
        () => notify(t("terms.done")),
        () => undefined,
      ),
  };
}
