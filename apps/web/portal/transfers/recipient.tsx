import { useTranslation } from "react-i18next";
import type { Transfer } from "../base/api.ts";

/** To whom a license is transferred. */
export function Recipient({ transfer }: { readonly transfer: Transfer }) {
  const { t } = useTranslation("portal");
  const { to_email: email, to_discord_id: id } = transfer;
  return email ?? (id === null ? t("deletedCustomer") : t("discordId", { id }));
}
