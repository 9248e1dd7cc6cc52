import { Alert, Button, Group, ScrollArea, Stack, Tabs, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { Trans, useTranslation } from "react-i18next";
import { useChange } from "../../../api/queries.ts";
import { Copy, Copyable } from "../../../ui/copy.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { ProblemAlert } from "../../../ui/problem-alert.tsx";
import { FirstLight, useFirstUse } from "./first-light.tsx";
import classes from "./first-run.module.css";
import { snippets } from "./snippets.ts";
import type { License, Organization, Product } from "./standing.ts";
import { StepCard } from "./step-card.tsx";

interface TryStepProps {
  readonly organization: Organization;
  readonly product: Product;
  readonly license: License;
  /** Null after the page was loaded anew. */
  readonly apiKey: string | null;
  readonly onNewKey: (apiKey: string) => void;
}

/** A request to paste, and the light that shows that it arrived. */
export function TryStep({ organization, product, license, apiKey, onNewKey }: TryStepProps) {
  const { t } = useTranslation("identity");
  const firstUsedAt = useFirstUse(license);
  const ready = snippets({
    url: location.origin,
    apiKey: apiKey ?? "YOUR_API_KEY",
    licenseKey: license.license_key,
  });
  return (
    <StepCard step="try" title={t("setup.try.title")} lead={t("setup.try.lead", { product: product.name })}>
      <Stack>
        <Group gap={6}>
          <Text size="sm" c="dimmed">
            {t("setup.try.licenseKey")}
          </Text>
          <Copyable value={license.license_key} />
        </Group>
        {apiKey === null && <LostKey product={product} onNewKey={onNewKey} />}
        <Tabs defaultValue="curl" keepMounted={false}>
          <Tabs.List mb="sm">
            {ready.map(({ id, name }) => (
              <Tabs.Tab key={id} value={id}>
                {name}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {ready.map(({ id, name, place, text }) => (
            <Tabs.Panel key={id} value={id}>
              <div className={classes.code}>
                <div className={classes.codeHead}>
                  <span>{place ?? t("setup.try.terminal")}</span>
                  <Copy value={text} label={t("setup.try.copy")} />
                </div>
                {/* It scrolls, also by keyboard. */}
                <ScrollArea type="auto" viewportProps={{ tabIndex: 0, role: "region", "aria-label": name }}>
                  <pre>{text}</pre>
                </ScrollArea>
              </div>
            </Tabs.Panel>
          ))}
        </Tabs>
        <FirstLight at={firstUsedAt} />
        <Group justify="flex-end">
          <Button
            component={Link}
            to="/o/$organization"
            params={{ organization: organization.slug } as never}
            variant={firstUsedAt === null ? "default" : "filled"}
            rightSection={<Icon name="right" size={14} />}
          >
            {t(firstUsedAt === null ? "setup.try.later" : "setup.try.done")}
          </Button>
        </Group>
      </Stack>
    </StepCard>
  );
}

/** The server keeps no key that could be shown again. */
function LostKey({ product, onNewKey }: { product: Product; onNewKey: (apiKey: string) => void }) {
  const { t } = useTranslation("identity");
  const rotate = useChange("rotateApiKey", ["listProducts"]);
  const make = async () => {
    const made = await rotate.mutateAsync({ params: { product_id: product.id }, body: {} }).catch(() => null);
    if (made !== null) onNewKey(made.api_key);
  };
  return (
    <Alert color="orange" icon={<Icon name="key" />}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          <Trans t={t} i18nKey="setup.try.lost" components={{ c: <code /> }} />
        </Text>
        <ProblemAlert error={rotate.error} />
        <Button size="compact-sm" variant="default" loading={rotate.isPending} onClick={make}>
          {t("setup.try.newKey")}
        </Button>
      </Stack>
    </Alert>
  );
}
