import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { reloadAfter, useChange } from "../../api/queries.ts";
import { type Organization, useMe } from "../../session/current-organization.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { notify } from "../../ui/notify.tsx";

interface LeaveDialogProps {
  /** Null while closed. */
  readonly organization: Pick<Organization, "id" | "name"> | null;
  readonly onClose: () => void;
}

/** Everyone except the owner can leave, whatever their role. */
export function LeaveDialog({ organization, onClose }: LeaveDialogProps) {
  const { t } = useTranslation("members");
  const me = useMe();
  const navigate = useNavigate();
  const remove = useChange("removeMember", { reloads: false });
  const name = organization?.name;
  return (
    <Confirm
      opened={organization !== null}
      onClose={onClose}
      title={t("leave.title", { organization: name })}
      action={t("leave.do")}
      onConfirm={async () => {
        if (organization === null) return;
        await remove.mutateAsync({ params: { organization_id: organization.id, user_id: me.id } });
        notify(t("leave.done", { organization: name }));
        // Navigate away first: the organization's pages disappear when the list is reloaded.
        await navigate({ to: "/account" });
        await reloadAfter("removeMember");
      }}
    >
      {t("leave.words", { organization: name })}
    </Confirm>
  );
}
