import { Alert, Button, Code, Group, Stack, Tabs, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Trans, useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { ask, useChange } from "../../api/queries.ts";
import { paths } from "../../session/paths.ts";
import { CodeBlock } from "../../ui/code-text.tsx";
import { Copyable } from "../../ui/copy.tsx";
import { Icon } from "../../ui/icon.tsx";
import { GoButton } from "../../ui/links.tsx";
import { type Platform, platforms } from "../../ui/platforms.ts";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { snippetFor } from "../../ui/snippets.ts";
import { exactTime } from "../../ui/time.tsx";
import classes from "./first-run.module.css";
import type { License, Organization, Product } from "./progress.ts";
import { StepCard } from "./step-card.tsx";

interface TryStepProps {
  readonly organization: Organization;
  readonly product: Product;
  readonly license: License;
  /** Null after a reload. */
  readonly apiKey: string | null;
  readonly onNewKey: (apiKey: string) => void;
}

/** A request to paste, and an indicator that shows its result. */
export function TryStep({ organization, product, license, apiKey, onNewKey }: TryStepProps) {
  const { t } = useTranslation("identity");
  const firstUsedAt = useFirstUse(license);
  const refusal = useRefusal(product.id, firstUsedAt === null);
  const calls = firstCalls({
    url: location.origin,
    productId: product.id,
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
            {calls.map(({ platform, name }) => (
              <Tabs.Tab key={platform} value={platform}>
                {name}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {calls.map(({ platform, name, blocks, needsPackage }) => (
            <Tabs.Panel key={platform} value={platform}>
              <Stack gap="sm">
                {blocks.map(({ file, text }) => (
                  <CodeBlock
                    key={file}
                    label={file ?? name}
                    file={file ?? t("setup.try.terminal")}
                    text={text}
                  />
                ))}
                {needsPackage && (
                  <Text size="sm" c="dimmed">
                    {t("setup.try.notPublished")}
                  </Text>
                )}
              </Stack>
            </Tabs.Panel>
          ))}
        </Tabs>
        <FirstValidation at={firstUsedAt} refusal={refusal} />
        <Group justify="flex-end">
          <GoButton
            to={paths.overview(organization.slug)}
            variant={firstUsedAt === null ? "default" : "filled"}
            rightSection={<Icon name="right" size={14} />}
          >
            {t(firstUsedAt === null ? "setup.try.later" : "setup.try.done")}
          </GoButton>
        </Group>
      </Stack>
    </StepCard>
  );
}

const pollMs = 1_500;

/** When the license was first validated successfully; null before. Polled until then. */
function useFirstUse(license: License): string | null {
  const { data } = useQuery({
    ...ask("getLicense", { params: { license_id: license.id } }),
    refetchInterval: ({ state }) => (state.data?.first_used_at == null ? pollMs : false),
    // The request is sent from another window: a terminal.
    refetchIntervalInBackground: true,
  });
  return data?.first_used_at ?? license.first_used_at;
}

type Request = NonNullable<Answer<"getLastValidation">["request"]>;

/** The product's last request if it was rejected and none has succeeded yet. */
function useRefusal(productId: string, isWanted: boolean): Request | null {
  const { data } = useQuery({
    ...ask("getLastValidation", { params: { product_id: productId } }),
    enabled: isWanted,
    refetchInterval: pollMs,
    refetchIntervalInBackground: true,
  });
  const request = data?.request ?? null;
  return !isWanted || request?.status === "active" ? null : request;
}

/** Green after the first valid request; red with the reason while the last one was rejected. */
function FirstValidation({ at, refusal }: { at: string | null; refusal: Request | null }) {
  const { t, i18n } = useTranslation("identity");
  const state = at !== null ? "on" : refusal !== null ? "rejected" : "waiting";
  const texts = {
    on: () => t("setup.indicator.onWords", { when: exactTime(at ?? "", i18n.language) }),
    rejected: () => t(`setup.indicator.reasons.${refusal?.status}`),
    waiting: () => t("setup.indicator.waitingWords"),
  };
  return (
    <div className={classes.light} data-state={state} role="status">
      <span className={classes.lamp}>
        {state !== "waiting" && <Icon name={state === "on" ? "check" : "close"} size={16} />}
      </span>
      <div>
        <Text fw={650}>{t(`setup.indicator.${state}`, { status: refusal?.status })}</Text>
        <Text size="sm" c="dimmed">
          {texts[state]()}
        </Text>
        {state === "rejected" && refusal?.problem && <Code>{refusal.problem}</Code>}
        {state !== "on" && (
          <Text size="sm" c="dimmed">
            {t("setup.indicator.notSeen")}
          </Text>
        )}
      </div>
    </div>
  );
}

/** The server stores no key that could be shown again. */
function LostKey({ product, onNewKey }: { product: Product; onNewKey: (apiKey: string) => void }) {
  const { t } = useTranslation("identity");
  const rotate = useChange("rotateApiKey");
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

interface SnippetFacts {
  /** The URL of this server, without a trailing slash. */
  readonly url: string;
  readonly productId: string;
  readonly apiKey: string;
  readonly licenseKey: string;
}

interface Block {
  /** The file to put it in; null for a terminal. */
  readonly file: string | null;
  readonly text: string;
}

interface FirstCall {
  readonly platform: Platform;
  readonly name: string;
  readonly blocks: readonly Block[];
  readonly needsPackage: boolean;
}

/** Platforms with a program that validates once and exits. */
const askAtOnce = { node: "node app.mjs", python: "python3 app.py", java: null } as const;

/** Ways to validate the first license, complete with keys. */
function firstCalls(facts: SnippetFacts): readonly FirstCall[] {
  const programs = Object.entries(askAtOnce).map(([key, run]) => program(key as Platform, run, facts));
  return [
    {
      platform: "curl",
      name: platforms.curl,
      blocks: [{ file: null, text: curl(facts) }],
      needsPackage: false,
    },
    ...programs,
  ];
}

/** The SDK's example; the keys are environment variables, as on a server. */
function program(platform: Platform, run: string | null, facts: SnippetFacts): FirstCall {
  const { file, text, install } = snippetFor(platform, {
    server: facts.url,
    productId: facts.productId,
    isSigned: false,
  });
  const isCommand = run !== null;
  const commands = [
    ...(isCommand && install !== null ? [install] : []),
    `export COUNTERSIGN_API_KEY=${quoted(facts.apiKey)}`,
    `export LICENSE_KEY=${quoted(facts.licenseKey)}`,
    ...(isCommand ? [run] : []),
  ];
  return {
    platform,
    name: platforms[platform],
    blocks: [
      { file, text },
      ...(isCommand || install === null ? [] : [{ file: "pom.xml", text: install }]),
      { file: null, text: commands.join("\n") },
    ],
    needsPackage: true,
  };
}

function curl({ url, apiKey, licenseKey }: SnippetFacts): string {
  return `curl ${quoted(`${url}/api/v1/validate`)} \\
  -H ${quoted(`Authorization: Bearer ${apiKey}`)} \\
  -H 'Content-Type: application/json' \\
  -d ${quoted(JSON.stringify({ license_key: licenseKey }))}`;
}

/** For a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
