import { Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Confirm } from "../../../ui/confirm.tsx";
import { AffectedLicenses } from "../frame/affected-licenses.tsx";
import type { Consequence, PortalConsequence } from "../frame/consequence.ts";
import type { Product } from "../frame/use-product.ts";
import { useVersions } from "../frame/use-versions.ts";

interface ChangeQuestionProps {
  readonly product: Product;
  /** Null while closed. */
  readonly consequence: Consequence | null;
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** Shows how a change of settings affects current customers before it is saved. */
export function ChangeQuestion({ product, consequence, onConfirm, onClose }: ChangeQuestionProps) {
  const { t } = useTranslation("products");
  const shown = consequence ?? "unsigned";
  return (
    <Confirm
      opened={consequence !== null}
      onClose={onClose}
      title={t(`consequence.${shown}.title`)}
      action={t(`consequence.${shown}.do`)}
      onConfirm={onConfirm}
      harmless={shown === "showsPortal"}
    >
      <Stack gap="xs">
        {shown === "checksVersions" ? (
          <VersionsChecked product={product} />
        ) : isAboutPortal(shown) ? (
          <Text>{t(`consequence.${shown}.words`)}</Text>
        ) : (
          <>
            <Text>{t(`consequence.${shown}.words`)}</Text>
            <AffectedLicenses
              product={product}
              words={shown === "enforcesExpiry" ? "rejects" : "affects"}
              {...(shown === "enforcesExpiry" ? { statuses: ["expired"] as const } : {})}
            />
          </>
        )}
      </Stack>
    </Confirm>
  );
}

function isAboutPortal(consequence: Consequence): consequence is PortalConsequence {
  return ["showsPortal", "hidesPortal", "automaticTransfers", "noTransfers"].includes(consequence);
}

function VersionsChecked({ product }: { product: Product }) {
  const { t } = useTranslation("products");
  const { versions, isWhole } = useVersions(product.id);
  const count = versions.filter(({ state }) => state !== "blocked").length;
  return (
    <>
      <Text>
        {isWhole && count === 0
          ? t("consequence.checksVersions.none")
          : t("consequence.checksVersions.some", { count })}
      </Text>
      <AffectedLicenses product={product} words={count === 0 ? "rejects" : "affects"} />
    </>
  );
}
