import { Alert, Button, Group, Radio, SimpleGrid, Stack, Text } from "@mantine/core";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ask, useChange } from "../../api/queries.ts";
import { Form } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import classes from "./first-run.module.css";
import { StepCard } from "./step-card.tsx";

const plansForOthers = ["free", "pro"] as const;

/** Whether others will sell here too determines the plan of new organizations. */
export function PurposeStep() {
  const { t } = useTranslation("identity");
  const { data: setup } = useSuspenseQuery(ask("getSetup"));
  const [purpose, setPurpose] = useState<"myself" | "others">("myself");
  const [plan, setPlan] = useState<(typeof plansForOthers)[number]>("free");
  const update = useChange("updatePlatformSettings");
  const submit = () => {
    update.mutate({ body: { default_plan: purpose === "myself" ? "enterprise" : plan } });
  };
  return (
    <StepCard step="purpose" title={t("setup.purpose.title")} lead={t("setup.purpose.lead")}>
      <Form onSubmit={submit} typed={[purpose, plan]} error={update.error}>
        <Stack>
          <ProblemAlert error={update.error} />
          <Radio.Group
            value={purpose}
            onChange={(value) => setPurpose(value as typeof purpose)}
            aria-label={t("setup.purpose.title")}
          >
            <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
              {(["myself", "others"] as const).map((choice) => (
                <Radio.Card key={choice} value={choice} className={classes.choice ?? ""} radius="md">
                  <Group wrap="nowrap" align="flex-start" gap="sm">
                    <Radio.Indicator mt={2} />
                    <div>
                      <Text fw={650}>{t(`setup.purpose.${choice}`)}</Text>
                      <Text c="dimmed" size="sm" mt={2}>
                        {t(`setup.purpose.${choice}Words`)}
                      </Text>
                    </div>
                  </Group>
                </Radio.Card>
              ))}
            </SimpleGrid>
          </Radio.Group>
          {purpose === "others" && (
            <>
              <Radio.Group
                label={t("setup.purpose.plan")}
                value={plan}
                onChange={(value) => setPlan(value as typeof plan)}
              >
                <Stack gap="xs" mt={6}>
                  {plansForOthers.map((choice) => (
                    <Radio
                      key={choice}
                      value={choice}
                      label={t(`setup.purpose.${choice}`)}
                      description={t(`setup.purpose.${choice}Words`)}
                    />
                  ))}
                </Stack>
              </Radio.Group>
              <Alert color="gray" icon={<Icon name="info" />}>
                {t(`setup.purpose.signUp.${setup.sign_up}`)}
              </Alert>
            </>
          )}
          <Group justify="space-between">
            <Text size="sm" c="dimmed">
              {t("setup.purpose.changeable")}
            </Text>
            <Button type="submit" loading={update.isPending}>
              {t("setup.next")}
            </Button>
          </Group>
        </Stack>
      </Form>
    </StepCard>
  );
}
