import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ask, useChange } from "../../api/queries.ts";
import { SaveForm } from "../../ui/form.tsx";
import { notify } from "../../ui/notify.tsx";
import { Panel } from "../../ui/section.tsx";
import { FormProblem, useForm } from "../../ui/use-form.tsx";
import { OverrideField } from "./limit-fields.tsx";

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
  const save = useChange("updateUser");
  const form = useForm({
    start: { organization_allowance: props.allowance },
    send: async (allowance) => {
      await save.mutateAsync({
        params: { user_id: props.userId },
        body: { ...allowance, updated_at: props.updatedAt },
      });
      notify(t("terms.done"));
    },
  });
  return (
    <SaveForm {...form.props}>
      <OverrideField
        {...form.field("organization_allowance")}
        label={t("allowance.label")}
        description={t("allowance.words")}
        defaultText={t("allowance.planDefault")}
        max={1_000_000}
      />
      <FormProblem form={form} />
    </SaveForm>
  );
}
