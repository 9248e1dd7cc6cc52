import { Switch } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import { useOrganization } from "../../app/here.ts";
import { Panel } from "../../ui/panel.tsx";
import { tell, tellProblem } from "../../ui/tell.tsx";
import { ValidateHelp } from "../../ui/validate-help.tsx";

/** Changes at once, and goes back with a reason when the server says no. */
export function SigningPanel() {
  const { t } = useTranslation("organizations");
  const organization = useOrganization();
  const queries = useQueryClient();
  const set = useMutation({
    mutationFn: (isOn: boolean) =>
      call("updateOrganization", {
        params: { organization_id: organization.id },
        body: { signed_validation: isOn },
      }),
    onError: tellProblem,
    onSettled: () => queries.invalidateQueries({ queryKey: ["listOrganizations"] }),
  });
  const isOn = set.isPending ? (set.variables ?? false) : organization.signed_validation;
  const change = (next: boolean) =>
    set.mutate(next, {
      onSuccess: () => tell(t(next ? "signing.nowOn" : "signing.nowOff"), () => set.mutateAsync(!next)),
    });
  return (
    <Panel title={t("signing.title")} lead={t("signing.lead")}>
      <Switch
        label={t("signing.label")}
        description={t(isOn ? "signing.on" : "signing.off")}
        checked={isOn}
        onChange={(event) => change(event.currentTarget.checked)}
      />
      <ValidateHelp about="signing" />
    </Panel>
  );
}
