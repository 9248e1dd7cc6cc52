import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { Panel } from "../../ui/panel.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { SaveForm } from "../../ui/save-form.tsx";
import { OverrideField } from "./limit-fields.tsx";
import { useSave } from "./use-save.ts";

/** How many organizations a user can own. It belongs to the user, also on an organization's page. */
export function AllowancePanel({ userId, ofOwner = false }: { userId: string; ofOwner?: boolean }) {
  const { t } = useTranslation("admin");
  const user = useQuery(ask("getUser", { params: { user_id: userId } }));
  if (user.data === undefined) return null;
  return (
    <Panel
      title={t(ofOwner ? "allowance.ofOwner" : "allowance.title", { name: user.data.name })}
      lead={t("allowance.owns", {
        count: user.data.organizations.filter((organization) => organization.is_owner).length,
      })}
    >
      <AllowanceForm
        key={user.data.updated_at}
        userId={userId}
        allowance={user.data.organization_allowance}
        updatedAt={user.data.updated_at}
      />
    </Panel>
  );
}

function AllowanceForm(props: { userId: string; allowance: number | null; updatedAt: string }) {
  const { t } = useTranslation("admin");
  const [allowance, setAllowance] = useState(props.allowance);
  const { save, error, isBusy } = useSave("updateUser");
  return (
    <SaveForm
      onSubmit={() =>
        save({
          params: { user_id: props.userId },
          body: { organization_allowance: allowance, updated_at: props.updatedAt },
        })
      }
      isBusy={isBusy}
      typed={allowance}
      base={props.allowance}
      error={error}
    >
      <OverrideField
        label={t("allowance.label")}
        description={t("allowance.words")}
        defaultText={t("allowance.planDefault")}
        value={allowance}
        onChange={setAllowance}
        error={fieldError(error, "organization_allowance")}
        max={1_000_000}
      />
      <ProblemAlert error={error} beside={["organization_allowance"]} />
    </SaveForm>
  );
}
