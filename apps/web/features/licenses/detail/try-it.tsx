import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Copy } from "../../../ui/copy.tsx";
import { Section } from "../../../ui/section.tsx";
import { type License, useProductOf } from "./license.ts";
import classes from "./license-page.module.css";

/** The request that an app sends for this license, as a command to run. */
export function TryIt({ license }: { license: License }) {
  const { t } = useTranslation("licenses");
  const product = useProductOf(license);
  const prefix = product?.api_keys[0]?.prefix;
  const version = license.version_pinned ?? license.version_range_min ?? undefined;
  const body = JSON.stringify({ license_key: license.license_key, ...(version && { version }) });
  const command = [
    `curl -X POST ${window.location.origin}/api/v1/validate \\`,
    `  -H 'Authorization: Bearer ${t("tryIt.apiKey")}' \\`,
    "  -H 'Content-Type: application/json' \\",
    `  -d '${body.replaceAll("'", "'\\''")}'`,
  ].join("\n");
  return (
    <Section
      title={t("tryIt.title")}
      id="try-it"
      actions={<Copy value={command} label={t("everywhere:copy")} />}
    >
      <pre className={classes.code}>{command}</pre>
      <Text c="dimmed" size="sm" mt="xs">
        {t(prefix === undefined ? "tryIt.words" : "tryIt.wordsWithPrefix", {
          product: license.product_name,
          prefix,
        })}
      </Text>
    </Section>
  );
}
