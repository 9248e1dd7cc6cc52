import { useChange } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import type { OnDowngrade } from "./version-checks-choice.tsx";

/** Sets what happens to version checks on a plan without them. */
export function useOnDowngrade() {
  const { id } = useOrganization();
  const change = useChange("updateOrganization");
  return {
    save: (value: OnDowngrade) =>
      change.mutateAsync({
        params: { organization_id: id },
        body: { version_checks_on_downgrade: value },
      }),
    /** Shown immediately, and reverted if it is refused. */
    pending: change.isPending ? (change.variables?.body?.version_checks_on_downgrade ?? null) : null,
  };
}
