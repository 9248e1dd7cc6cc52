import { Stack, Text, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ask, useChange } from "../../../api/queries.ts";
import { useMay, useOrganization } from "../../../session/current-organization.ts";
import { paths } from "../../../session/paths.ts";
import { Confirm } from "../../../ui/confirm.tsx";
import { ValidateHelp } from "../../../ui/help.tsx";
import { notify } from "../../../ui/notify.tsx";
import type { Action } from "../search.ts";
import type { License } from "./license.ts";

/** Actions that ask first: revoking, replacing the key, removing all IP addresses, and deleting. */
export function Confirmation({ action, opened, ...props }: ConfirmationProps) {
  const may = useMay();
  const canRevoke = may("licenses:revoke") && props.license.revoked_at === null;
  const isAsked = (one: ConfirmedAction) => opened && action === one;
  return (
    <>
      <Revoke {...props} opened={isAsked("revoke") && canRevoke} />
      <Rotate {...props} opened={isAsked("rotate") && may("licenses:update")} />
      <Reset {...props} opened={isAsked("reset") && may("licenses:reset_ips")} />
      <Delete {...props} opened={isAsked("delete") && may("licenses:delete")} />
    </>
  );
}

export type ConfirmedAction = "revoke" | "rotate" | "reset" | "delete";

interface ConfirmationProps extends ActionProps {
  readonly action: Action | undefined;
}

interface ActionProps {
  readonly license: License;
  readonly opened: boolean;
  readonly onClose: () => void;
}

function Revoke({ license, ...dialog }: ActionProps) {
  const { t } = useTranslation("licenses");
  const revoke = useChange("revokeLicense");
  const reinstate = useChange("reinstateLicense");
  const [reason, setReason] = useState("");
  const params = { license_id: license.id };
  return (
    <Confirm
      {...dialog}
      title={t("revoke.title")}
      action={t("actions.revoke")}
      onConfirm={async () => {
        await revoke.mutateAsync({ params, body: { reason: reason.trim() === "" ? null : reason } });
        setReason("");
        notify(t("done.revoked"), () => reinstate.mutateAsync({ params }));
      }}
    >
      <Stack>
        <Text>{t("revoke.words")}</Text>
        <ValidateHelp about="revoked" />
        <TextInput
          label={t("revoke.reason")}
          description={t("revoke.reasonHelp")}
          maxLength={500}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
          data-autofocus
        />
      </Stack>
    </Confirm>
  );
}

function Rotate({ license, ...dialog }: ActionProps) {
  const { t } = useTranslation("licenses");
  const rotate = useChange("rotateLicenseKey");
  const [customKey, setCustomKey] = useState("");
  const params = { license_id: license.id };
  return (
    <Confirm
      {...dialog}
      title={t("rotate.title")}
      action={t("rotate.do")}
      onConfirm={async () => {
        const old = license.license_key;
        const body = customKey.trim() === "" ? {} : { license_key: customKey };
        const { license_key: key } = await rotate.mutateAsync({ params, body });
        setCustomKey("");
        notify(t("done.rotated", { key }), () => rotate.mutateAsync({ params, body: { license_key: old } }));
      }}
    >
      <Stack>
        <Text>{t("rotate.words", { key: license.license_key })}</Text>
        <Text>{t("rotate.unchanged")}</Text>
        <ValidateHelp about="oldKey" />
        <TextInput
          label={t("fields.customKey")}
          description={t("fields.customKeyHint")}
          classNames={{ input: "mono" }}
          spellCheck={false}
          maxLength={64}
          autoComplete="off"
          value={customKey}
          onChange={(event) => setCustomKey(event.currentTarget.value)}
        />
      </Stack>
    </Confirm>
  );
}

function Reset({ license, ...dialog }: ActionProps) {
  const { t } = useTranslation("licenses");
  const reset = useChange("resetLicenseIps");
  const count = license.current_unique_ip_count;
  return (
    <Confirm
      {...dialog}
      title={t("reset.title")}
      action={t("reset.do")}
      onConfirm={async () => {
        await reset.mutateAsync({ params: { license_id: license.id } });
        notify(t("done.reset"));
      }}
    >
      <Stack>
        <Text>{t("reset.words", { count })}</Text>
        <ValidateHelp about="freedIps" />
      </Stack>
    </Confirm>
  );
}

function Delete({ license, ...dialog }: ActionProps) {
  const { t } = useTranslation("licenses");
  const { slug } = useOrganization();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const remove = useChange("deleteLicense");
  return (
    <Confirm
      {...dialog}
      title={t("delete.title")}
      action={t("actions.delete")}
      typed={license.license_key}
      onConfirm={async () => {
        const params = { license_id: license.id };
        await remove.mutateAsync({ params });
        await navigate(paths.licenses(slug));
        queries.removeQueries({ queryKey: ask("getLicense", { params }).queryKey });
        notify(t("done.deleted", { key: license.license_key }));
      }}
    >
      <Stack>
        <Text>{t("delete.words")}</Text>
        <ValidateHelp about="deleted" />
        {license.revoked_at === null && <Text c="dimmed">{t("delete.instead")}</Text>}
      </Stack>
    </Confirm>
  );
}
