import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useMaySee, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { GoLink } from "../../ui/links.tsx";
import { StateMark } from "../../ui/state-mark.tsx";
import type { Holder, Transfer } from "./transfer.ts";

/** A customer in a few words: the name, or the email address, or the Discord ID. */
export function useHolderName(): (holder: Holder) => string {
  const { t } = useTranslation("transfers");
  return ({ customer_name, customer_email, customer_discord_id: id }) =>
    customer_name ?? customer_email ?? (id === null ? t("deletedCustomer") : t("discordId", { id }));
}

/** A customer, with a link if the organization knows them. */
export function HolderWords({ holder }: { holder: Holder }) {
  const { t } = useTranslation("transfers");
  const { slug } = useOrganization();
  const maySee = useMaySee();
  const name = useHolderName()(holder);
  const { global_customer_id: id, customer_email: email, customer_discord_id: discordId } = holder;
  if (email === null && discordId === null) return name;
  const discord = discordId === null ? null : t("discordId", { id: discordId });
  const more = [email, discord].filter((words) => words !== null && words !== name);
  return (
    <>
      {id !== null && maySee("customers:view", "customers:manage") ? (
        <GoLink to={paths.customer(slug, id)}>{name}</GoLink>
      ) : (
        name
      )}
      {more.map((words) => (
        <Text key={words} c="dimmed">
          {words}
        </Text>
      ))}
      {id === null && <Text c="dimmed">{t("newCustomer")}</Text>}
    </>
  );
}

const tones = { pending: "warn", approved: "good", rejected: "bad", cancelled: "off" } as const;

export function TransferState({ state }: Pick<Transfer, "state">) {
  const { t } = useTranslation("transfers");
  return <StateMark tone={tones[state]}>{t(`states.${state}`)}</StateMark>;
}
