import { Alert, Button, Group, Radio, SimpleGrid, Stack, Text } from "@mantine/core";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ask, useChange } from "../../api/queries.ts";
import { Form } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { RadioField } from "../../ui/radio-field.tsx";
import { FormProblem, useForm } from "../../ui/use-form.tsx";
import classes from "./first-run.module.css";
import { StepCard } from "./step-card.tsx";

interface PurposeDraft {
  readonly purpose: "myself" | "others";
  readonly plan: "free" | "pro";
}

/** Whether others will sell here too determines the plan of new organizations. */
export function PurposeStep() {
  const { t } = useTranslation("identity");
  const { data: setup } = useSuspenseQuery(ask("getSetup"));
  const update = useChange("updatePlatformSettings");
  const form = useForm<PurposeDraft>({
    start: { purpose: "myself", plan: "free" },
    send: ({ purpose, plan }) =>
      update.mutateAsync({ body: { default_plan: purpose === "myself" ? "enterprise" : plan } }),
  });
  const { purpose } = form.values;
  return (
    <StepCard step="purpose" title={t("setup.purpose.title")} lead={t("setup.purpose.lead")}>
      <Form {...form.props}>
        <Stack>
          <FormProblem form={form} />
          <Radio.Group
            value={purpose}
            onChange={(value) => form.set({ purpose: value === "others" ? "others" : "myself" })}
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
              <RadioField
                {...form.field("plan")}
                label={t("setup.purpose.plan")}
                values={["free", "pro"]}
                words={(plan) => t(`setup.purpose.${plan}`)}
                hint={(plan) => t(`setup.purpose.${plan}Words`)}
              />
              <Alert color="gray" icon={<Icon name="info" />}>
                {t(`setup.purpose.signUp.${setup.sign_up}`)}
              </Alert>
            </>
          )}
          <Group justify="space-between">
            <Text size="sm" c="dimmed">
              {t("setup.purpose.changeable")}
            </Text>
            <Button type="submit" loading={form.isBusy}>
              {t("setup.next")}
            </Button>
          </Group>
        </Stack>
      </Form>
    </StepCard>
  );
}
