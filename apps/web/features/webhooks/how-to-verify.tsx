import { Anchor, Code, Group, List, Paper, Stack, Tabs, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Copy } from "../../ui/copy.tsx";
import { snippets } from "./verify-snippets.ts";
import type { Webhook } from "./webhook-state.tsx";

/** Enough to verify the first event; the reference has the rest. */
export function HowToVerify({ webhook }: { webhook: Webhook }) {
  const { t } = useTranslation("webhooks");
  if (webhook.format !== "standard")
    return (
      <Paper withBorder p="lg" radius="lg">
        <Text maw={640}>{t(`verify.${webhook.format}`)}</Text>
      </Paper>
    );
  return (
    <Stack gap="lg">
      <Stack gap="xs" maw={720}>
        <Title order={2}>{t("verify.title")}</Title>
        <Text>{t("verify.words")}</Text>
        <List spacing={6}>
          {["raw", "respond", "twice", "order"].map((point) => (
            <List.Item key={point}>{t(`verify.points.${point}`)}</List.Item>
          ))}
        </List>
        <Text>
          {t("verify.reference")}{" "}
          <Anchor inherit underline="always" href="/docs#group-received" target="_blank" rel="noreferrer">
            {t("verify.link")}
          </Anchor>
          .
        </Text>
      </Stack>
      <Tabs defaultValue={snippets[0].language} variant="outline">
        <Tabs.List>
          {snippets.map(({ language }) => (
            <Tabs.Tab key={language} value={language}>
              {language}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {snippets.map(({ language, code }) => (
          <Tabs.Panel key={language} value={language}>
            <Group justify="flex-end" my={6}>
              <Copy value={code} label={t("verify.copy")} />
            </Group>
            <Code block tabIndex={0}>
              {code}
            </Code>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  );
}
