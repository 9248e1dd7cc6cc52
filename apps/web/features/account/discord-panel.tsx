import { Alert, Badge, Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { callAuth } from "../../api/client.ts";
import { ask, reloadAccount } from "../../api/queries.ts";
import { useMe } from "../../session/current-organization.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { Icon } from "../../ui/icon.tsx";
import { notify } from "../../ui/notify.tsx";
import { Panel } from "../../ui/panel.tsx";
import { ConfirmIdentity } from "./confirm-identity.tsx";
import type { ProofBody } from "./proof.tsx";

const securityRoute = getRouteApi("/signed-in/account/account-layout/security");

/** Shown only if Discord is configured, or the account is already linked. */
export function DiscordPanel() {
  const { t } = useTranslation("account");
  const { discord } = useMe().sign_in_methods;
  const { error } = securityRoute.useSearch();
  const setup = useQuery(ask("getSetup"));
  const [isOpen, setOpen] = useState(false);
  const [isLinking, setLinking] = useState(false);
  const link = async (body: ProofBody) => {
    const { url } = await callAuth<{ url: string }>("linkDiscord", {
      provider: "discord",
      callbackURL: "/account/security",
      errorCallbackURL: "/account/security",
      ...body,
    });
    location.assign(url);
  };
  if (discord === null && setup.data?.discord !== true) return null;
  return (
    <Panel
      title="Discord"
      lead={t("discord.lead")}
      actions={
        discord === null ? (
          <Button variant="default" onClick={() => setLinking(true)}>
            {t("discord.link")}
          </Button>
        ) : (
          <Button variant="light" color="red" onClick={() => setOpen(true)}>
            {t("discord.unlink")}
          </Button>
        )
      }
    >
      {error !== undefined && discord === null && (
        <Alert color="red" icon={<Icon name="warning" />} role="alert">
          {t(`discord.errors.${reasonOf(error)}`, { error })}
        </Alert>
      )}
      {discord !== null && (
        <Text>
          <Badge variant="light" mr="xs">
            {t("discord.linked")}
          </Badge>
          <span className="mono">{discord.discord_id}</span>
        </Text>
      )}
      <ConfirmIdentity
        opened={isLinking}
        onClose={() => setLinking(false)}
        title={t("discord.link")}
        words={t("discord.linkWords")}
        action={t("discord.do")}
        run={link}
      />
      <Confirm
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={t("discord.title")}
        action={t("discord.unlink")}
        onConfirm={async () => {
          await callAuth("unlinkAccount", { accountId: discord?.account_id ?? "" });
          await reloadAccount();
          notify(t("discord.done"));
        }}
      >
        {t("discord.words")}
      </Confirm>
    </Panel>
  );
}

function reasonOf(error: string): "access_denied" | "taken" | "other" {
  if (error === "access_denied") return error;
  return error === "account_already_linked_to_different_user" ? "taken" : "other";
}
