import { Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useOrganization } from "../../../session/current-organization.ts";
import { useVersionChecks } from "../../../session/plan.ts";
import { useConfirm } from "../../../ui/confirm.tsx";
import { type Consequence, consequenceOf } from "../frame/consequence.ts";
import { SeenLicenses } from "../frame/seen-licenses.tsx";
import { type Changes, type Product, useProductChange } from "../frame/use-product.ts";
import { useVersions } from "../frame/use-versions.ts";

/** Saves a change that affects no customer immediately, and shows the effect of any other before it is saved. */
export function useChangeAfterQuestion(product: Product) {
  const { t } = useTranslation("products");
  const { signed_validation } = useOrganization();
  const terms = { signed_validation, versionChecks: useVersionChecks() };
  const { save } = useProductChange(product);
  const question = useConfirm((consequence: Consequence, changes: Changes) => ({
    title: t(`consequence.${consequence}.title`),
    action: t(`consequence.${consequence}.do`),
    harmless: consequence === "showsPortal",
    children: <Effect product={product} consequence={consequence} />,
    // Not awaited: the change is shown immediately.
    onConfirm: async () => void save(changes),
  }));
  return {
    save: (changes: Changes) => {
      const consequence = consequenceOf(product, changes, terms);
      if (consequence === null) void save(changes);
      else question.ask(consequence, changes);
    },
    question: question.dialog,
  };
}

function Effect({ product, consequence }: { product: Product; consequence: Consequence }) {
  const { t } = useTranslation("products");
  return (
    <Stack gap="xs">
      {consequence === "checksVersions" ? (
        <VersionsChecked product={product} />
      ) : (
        <Text>{t(`consequence.${consequence}.words`)}</Text>
      )}
      <Seen product={product} consequence={consequence} />
    </Stack>
  );
}

/** Nothing for what only concerns the portal. */
function Seen({ product, consequence }: { product: Product; consequence: Consequence }) {
  switch (consequence) {
    case "checksVersions":
      return <SeenLicenses product={product} change={{ type: "check_versions" }} />;
    case "enforcesExpiry":
      return <SeenLicenses product={product} change={{ type: "enforce_expiry" }} />;
    case "limitsIps":
      return <SeenLicenses product={product} change={{ type: "track_ips" }} />;
    case "allowList":
      return (
        <SeenLicenses
          product={product}
          change={
            product.track_ip_on_validate
              ? { type: "registration", registration: "off" }
              : { type: "track_ips" }
          }
        />
      );
    // Which apps check signatures is known to nobody but the seller.
    case "unsigned":
      return <SeenLicenses product={product} change={{ type: "disable" }} counts="used" />;
    case "showsPortal":
    case "hidesPortal":
    case "automaticTransfers":
    case "noTransfers":
      return null;
  }
}

function VersionsChecked({ product }: { product: Product }) {
  const { t } = useTranslation("products");
  const { versions, isWhole } = useVersions(product.id);
  const count = versions.filter(({ state }) => state !== "blocked").length;
  return (
    <Text>
      {isWhole && count === 0
        ? t("consequence.checksVersions.none")
        : t("consequence.checksVersions.some", { count })}
    </Text>
  );
}
