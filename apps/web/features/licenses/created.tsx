import { csvLine } from "@countersign/domain/csv/csv";
import { Button, Group, Paper, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { LicenseEmail } from "../../app/license-email.tsx";
import { NoEmail } from "../../app/no-email.tsx";
import { useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { useSendsEmail } from "../../session/sends-email.ts";
import { Copy, Copyable } from "../../ui/copy.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Back, GoButton, GoLink } from "../../ui/links.tsx";
import { Page } from "../../ui/page.tsx";
import { Facts } from "../../ui/section.tsx";
import { exactTime } from "../../ui/time.tsx";
import classes from "./created.module.css";
import type { License } from "./search.ts";

interface CreatedProps {
  readonly licenses: readonly License[];
  /** Whether the product emails the key to each customer. */
  readonly mailed: boolean;
  readonly onAnother: () => void;
}

/** How many are listed; copying and downloading include all. */
const shown = 50;

/** The new keys, ready to copy or download. */
export function Created({ licenses, mailed, onAnother }: CreatedProps) {
  const { t, i18n } = useTranslation("licenses");
  const { slug } = useOrganization();
  const sendsEmail = useSendsEmail();
  const [only] = licenses;
  const hasEmail = licenses.some(({ customer_email: email }) => email !== null);
  const total = { count: licenses.length, number: licenses.length.toLocaleString(i18n.language) };
  return (
    <Page
      narrow
      title={t("created.title", total)}
      above={<Back to={paths.licenses(slug)}>{t("title")}</Back>}
      lead={mailed && hasEmail && sendsEmail && licenses.length > 1 ? t("created.emailed", total) : undefined}
    >
      <Stack gap="md">
        {mailed && hasEmail && !sendsEmail && licenses.length > 1 && (
          <NoEmail>{t("created.notEmailed")}</NoEmail>
        )}
        {licenses.length === 1 && only !== undefined ? (
          <Paper withBorder radius="lg" p="lg" className={classes.one ?? ""}>
            <Text component="span" className={classes.key ?? ""}>
              {only.license_key}
            </Text>
            <Copy value={only.license_key} label={t("created.copy")} />
          </Paper>
        ) : (
          <Paper withBorder radius="lg" className={classes.list ?? ""}>
            <ol className={classes.keys} aria-label={t("created.keys")}>
              {licenses.slice(0, shown).map((license) => (
                <li key={license.id}>
                  <Copyable value={license.license_key} />
                  <GoLink to={paths.license(slug, license.id)} size="sm" c="dimmed" truncate>
                    {license.customer_email ?? license.customer_discord_id ?? t("created.open")}
                  </GoLink>
                </li>
              ))}
            </ol>
            {licenses.length > shown && (
              <Text c="dimmed" size="sm" p="sm">
                {t("created.more", {
                  count: licenses.length - shown,
                  number: (licenses.length - shown).toLocaleString(i18n.language),
                })}
              </Text>
            )}
          </Paper>
        )}
        {licenses.length === 1 && only !== undefined && <CreatedFacts license={only} />}
        <Group gap="xs">
          <Button onClick={onAnother} leftSection={<Icon name="plus" size={16} />} autoFocus>
            {t("created.another")}
          </Button>
          {licenses.length > 1 ? (
            <>
              <Copy value={licenses.map((one) => one.license_key).join("\n")} label={t("created.copyAll")} />
              <Button
                variant="default"
                leftSection={<Icon name="download" size={16} />}
                onClick={() => download("licenses.csv", tableOf(licenses))}
              >
                {t("created.download")}
              </Button>
              <GoButton variant="default" to={paths.licenses(slug)}>
                {t("created.list")}
              </GoButton>
            </>
          ) : (
            <GoButton variant="default" to={paths.license(slug, only?.id ?? "")}>
              {t("created.open")}
            </GoButton>
          )}
        </Group>
      </Stack>
    </Page>
  );
}

function tableOf(licenses: readonly License[]): string {
  const rows = licenses.map((one) => csvLine([one.license_key, one.customer_email, one.customer_discord_id]));
  return csvLine(["license_key", "customer_email", "customer_discord_id"]) + rows.join("");
}

function download(name: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** The new license: its customer, product, expiry and email. */
function CreatedFacts({ license }: { license: License }) {
  const { t } = useTranslation("licenses");
  const { customer_name: name, customer_email: email, customer_discord_id: discordId } = license;
  return (
    <Facts>
      <dt>{t("columns.customer")}</dt>
      <dd>{[name, email, discordId].filter((part) => part !== null).join(" · ")}</dd>
      <dt>{t("columns.product")}</dt>
      <dd>{license.product_name}</dd>
      <dt>{t("columns.expires")}</dt>
      <dd>
        <Expiry license={license} />
      </dd>
      <dt>{t("created.email")}</dt>
      <dd>
        <LicenseEmail license={license} />
      </dd>
    </Facts>
  );
}

const secondsADay = 86_400;

function Expiry({ license: { expires_at: at, term_seconds: term } }: { license: License }) {
  const { t, i18n } = useTranslation("licenses");
  if (at !== null) return exactTime(at, i18n.language);
  if (term === null) return t("lifetime");
  const days = (term / secondsADay).toLocaleString(i18n.language, { maximumFractionDigits: 1 });
  return t("created.fromFirstUse", { days });
}
