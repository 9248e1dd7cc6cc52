import { useTranslation } from "react-i18next";
import type { Transfer } from "../api.ts";

/** To whom a license is transferred. */
export function Recipient({ transfer }: { readonly transfer: Transfer }) {
  const { t } = useTranslation("portal");
  return transfer.to_email ?? t("discordId", { id: transfer.to_discord_id ?? "" });
}
