import { Box, Button, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { type Answer, call } from "../../api/client.ts";
import { Dimmed } from "../../ui/dimmed.tsx";
import { TextField } from "../../ui/fields.tsx";
import { Form } from "../../ui/form.tsx";
import { Verdict } from "../../ui/notice.tsx";
import { Section } from "../../ui/section.tsx";
import { DateTimeField, fromLocal } from "../../ui/time-fields.tsx";
import { FormProblem, useForm } from "../../ui/use-form.tsx";
import { RuleList, rulesNow, useRuleWords } from "./rule-list.tsx";
import classes from "./try-request.module.css";

interface TryRequestProps {
  readonly license: { readonly id: string; readonly version_pinned: string | null };
}

const helpBelow: ("label" | "input" | "description" | "error")[] = ["label", "input", "description", "error"];

/** What a validation would return for an IP address, a version and a time, and which rules decide it. */
export function TryRequest({ license }: TryRequestProps) {
  const { t } = useTranslation("requests");
  const ruleText = useRuleWords();
  const [result, setResult] = useState<Answer<"explainLicense">>();
  const form = useForm({
    start: { ip: "", version: license.version_pinned ?? "", at: "" },
    send: async ({ ip, version, at }) => {
      setResult(undefined);
      const time = fromLocal(at);
      const body = {
        ...(ip.trim() === "" ? {} : { ip: ip.trim() }),
        ...(version.trim() === "" ? {} : { version: version.trim() }),
        ...(time === null ? {} : { at: time }),
      };
      setResult(await call("explainLicense", { params: { license_id: license.id }, body }));
    },
  });
  return (
    <Section title={t("try.title")} id="try-request">
      <Dimmed mb="sm">{t("try.lead")}</Dimmed>
      {/* Nothing is lost by leaving: the form changes nothing. */}
      <Form onSubmit={form.submit} typed={null} error={form.error} className={classes.form}>
        <TextField
          {...form.field("ip")}
          label={t("try.ip")}
          description={t("try.ipHelp")}
          placeholder="203.0.113.7"
          inputWrapperOrder={helpBelow}
          maxLength={64}
          autoComplete="off"
          spellCheck={false}
        />
        <TextField
          {...form.field("version")}
          label={t("try.version")}
          description={t("try.versionHelp")}
          placeholder="2.1.0"
          inputWrapperOrder={helpBelow}
          maxLength={200}
          autoComplete="off"
        />
        <DateTimeField
          {...form.field("at")}
          label={t("try.at")}
          description={t("try.atHelp")}
          inputWrapperOrder={helpBelow}
        />
        <Button type="submit" variant="default" loading={form.isBusy} className={classes.do ?? ""}>
          {t("try.do")}
        </Button>
      </Form>
      <Stack gap="sm" mt={result === undefined && form.error === null ? 0 : "md"} role="status">
        <FormProblem form={form} />
        {result !== undefined && (
          <Verdict
            isRefused={!result.valid}
            title={t(result.valid ? "try.valid" : "try.invalid", { status: result.status })}
          >
            {result.rules
              .filter((rule) => rule.passed === false)
              .slice(0, 1)
              .map((rule) => (
                <Text key={rule.rule} size="sm">
                  {ruleText.ofExplained(rule)}
                </Text>
              ))}
          </Verdict>
        )}
      </Stack>
      {result !== undefined && (
        <Box mt="sm">
          <RuleList label={t("try.title")} rules={rulesNow(result.rules, ruleText)} />
        </Box>
      )}
    </Section>
  );
}
