import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ask, useChange } from "../../api/queries.ts";
import { SaveForm } from "../../ui/form.tsx";
import { notify } from "../../ui/notify.tsx";
import { Panel } from "../../ui/panel.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { OverrideField } from "./override-field.tsx";

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
  const save = useChange("updateUser");
  const submit = () => {
    // The new state remounts the form, and callbacks of an unmounted form are not called.
    save
      .mutateAsync({
        params: { user_id: props.userId },
        body: { organization_allowance: allowance, updated_at: props.updatedAt },
      })
      .then(
        () => notify(t("terms.done")),
        // The error is shown above the button.
        () => undefined,
      );
  };
  return (
    <SaveForm
      onSubmit={submit}
      isBusy={save.isPending}
      typed={allowance}
      base={props.allowance}
      error={save.error}
    >
      <OverrideField
        label={t("allowance.label")}
        description={t("allowance.words")}
        usual={t("allowance.planDefault")}
        value={allowance}
        onChange={setAllowance}
        error={fieldError(save.error, "organization_allowance")}
        max={1_000_000}
      />
      <ProblemAlert error={save.error} beside={["organization_allowance"]} />
    </SaveForm>
  );
}
