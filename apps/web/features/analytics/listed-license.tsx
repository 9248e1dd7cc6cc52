import { Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { useMaySee, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Dimmed } from "../../ui/dimmed.tsx";
import { GoLink } from "../../ui/links.tsx";

type Listed = Pick<
  Item<"listMostRefused">,
  "license_id" | "license_key" | "customer_name" | "customer_email" | "product_name"
>;

/** A license in a list: its key, its customer and its product. */
export function ListedLicense({ license }: { license: Listed }) {
  const { t } = useTranslation("analytics");
  const { slug } = useOrganization();
  const opens = useMaySee()("licenses:view");
  const { license_id: id, license_key: key } = license;
  return (
    <Stack gap={0}>
      {key === null ? (
        <Text inherit c="dimmed">
          {t("deleted")}
        </Text>
      ) : opens ? (
        <GoLink to={paths.license(slug, id)} className="mono">
          {key}
        </GoLink>
      ) : (
        <span className="mono">{key}</span>
      )}
      <Dimmed size="xs">
        {[license.customer_name ?? license.customer_email, license.product_name].filter(Boolean).join(" · ")}
      </Dimmed>
    </Stack>
  );
}
