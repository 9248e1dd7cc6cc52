import { dayMs } from "@countersign/domain/dates/lengths";
import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { useMaySee, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { GoLink } from "../../ui/links.tsx";
import { StateMark } from "../../ui/state-mark.tsx";

export type Transfer = Answer<"getTransfer">;
export type Holder = Transfer["from"];
type License = Pick<Answer<"getLicense">, "revoked_at" | "current_unique_ip_count">;
type Product = Pick<
  Answer<"getProduct">,
  "status" | "transfer_cooldown_days" | "transfer_resets_ips" | "transfer_rotates_key"
>;

export type Warning =
  | { readonly kind: "product_inactive"; readonly isRefused: true }
  | { readonly kind: "license_revoked"; readonly isRefused: true }
  | { readonly kind: "target_blocked"; readonly isRefused: false }
  | { readonly kind: "transferred_recently"; readonly isRefused: false; readonly at: string };

/** For a product without a waiting period, and for members who cannot see it. */
const usualCooldownDays = 30;

/**
 * What to know before deciding about a transfer that waits. With `isRefused`, the server refuses an approval. The
 * license and the product are null without permission to see them.
 */
export function warningsOf(
  transfer: Pick<Transfer, "state" | "target_blocked" | "last_transferred_at">,
  license: Pick<License, "revoked_at"> | null,
  product: Pick<Product, "status" | "transfer_cooldown_days"> | null,
  nowMs: number,
): Warning[] {
  if (transfer.state !== "pending") return [];
  const warnings: Warning[] = [];
  if (product !== null && product.status !== "active")
    warnings.push({ kind: "product_inactive", isRefused: true });
  if (license !== null && license.revoked_at !== null)
    warnings.push({ kind: "license_revoked", isRefused: true });
  if (transfer.target_blocked) warnings.push({ kind: "target_blocked", isRefused: false });
  const { last_transferred_at: at } = transfer;
  const days = product?.transfer_cooldown_days || usualCooldownDays;
  if (at !== null && nowMs - new Date(at).getTime() < days * dayMs)
    warnings.push({ kind: "transferred_recently", isRefused: false, at });
  return warnings;
}

type Effect =
  | { readonly kind: "owner" }
  | { readonly kind: "ips_removed"; readonly count: number | null }
  | { readonly kind: "ips_stay" }
  | { readonly kind: "key_replaced" }
  | { readonly kind: "key_stays" }
  | { readonly kind: "by_settings" }
  | { readonly kind: "email" }
  | { readonly kind: "no_email" };

/** What an approval does, in the order in which it is told. */
export function effectsOf(
  transfer: Pick<Transfer, "to">,
  license: Pick<License, "current_unique_ip_count"> | null,
  product: Pick<Product, "transfer_resets_ips" | "transfer_rotates_key"> | null,
): Effect[] {
  const notice: Effect = { kind: transfer.to.customer_email === null ? "no_email" : "email" };
  if (product === null) return [{ kind: "owner" }, { kind: "by_settings" }, notice];
  return [
    { kind: "owner" },
    product.transfer_rotates_key ? { kind: "key_replaced" } : { kind: "key_stays" },
    product.transfer_resets_ips
      ? { kind: "ips_removed", count: license?.current_unique_ip_count ?? null }
      : { kind: "ips_stay" },
    notice,
  ];
}

/** The text for how a transfer was decided; null while it waits. */
export function decisionKey(
  transfer: Pick<Transfer, "state" | "decided_by" | "decided_by_name" | "reason">,
): string | null {
  const { state, decided_by: by, decided_by_name: name, reason } = transfer;
  if (state === "pending") return null;
  if (by === "system" && state === "cancelled")
    return `decision.cancelled.${reason === "license_deleted" || reason === "customer_changed" ? reason : "system"}`;
  if (by === "system") return `decision.${state}.system`;
  if (by === "customer") return `decision.${state}.customer`;
  return `decision.${state}.${name === null ? "unnamed" : "named"}`;
}

/** A customer in a few words: the name, or the email address, or the Discord ID. */
export function useHolderName(): (holder: Holder) => string {
  const { t } = useTranslation("transfers");
  return ({ customer_name, customer_email, customer_discord_id: id }) =>
    customer_name ?? customer_email ?? (id === null ? t("deletedCustomer") : t("discordId", { id }));
}

/** A customer, with a link if the organization knows them. */
export function HolderName({ holder }: { holder: Holder }) {
  const { t } = useTranslation("transfers");
  const { slug } = useOrganization();
  const maySee = useMaySee();
  const name = useHolderName()(holder);
  const { global_customer_id: id, customer_email: email, customer_discord_id: discordId } = holder;
  if (email === null && discordId === null) return name;
  const discord = discordId === null ? null : t("discordId", { id: discordId });
  const more = [email, discord].filter((part) => part !== null && part !== name);
  return (
    <>
      {id !== null && maySee("customers:view", "customers:manage") ? (
        <GoLink to={paths.customer(slug, id)}>{name}</GoLink>
      ) : (
        name
      )}
      {more.map((part) => (
        <Text key={part} c="dimmed">
          {part}
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
