import { useTranslation } from "react-i18next";
import { useChange } from "../../../api/queries.ts";
import { notify, notifyProblem } from "../../../ui/notify.tsx";
import type { License } from "./license.ts";

/** Reinstates a license. Undoing it revokes the license again with the same reason. */
export function useReinstate(license: License): () => Promise<void> {
  const { t } = useTranslation("licenses");
  const reinstate = useChange("reinstateLicense");
  const revoke = useChange("revokeLicense");
  const params = { license_id: license.id };
  return async () => {
    const { revoked_reason: reason } = license;
    try {
      await reinstate.mutateAsync({ params });
      notify(t("done.reinstated"), () => revoke.mutateAsync({ params, body: { reason } }));
    } catch (error) {
      notifyProblem(error);
    }
  };
}
