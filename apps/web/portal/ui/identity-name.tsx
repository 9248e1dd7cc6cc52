import { useTranslation } from "react-i18next";
import type { Me } from "../base/api.ts";

/** An email address, or the name and ID on Discord. */
export function IdentityName({ identity }: { readonly identity: Me["identities"][number] }) {
  const { t } = useTranslation("portal");
  const { kind, value, name } = identity;
  if (kind === "email") return value;
  return name === null ? t("discordId", { id: value }) : t("discordName", { name, id: value });
}
