import { Box, Button, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { type Body, call } from "../../api/client.ts";
import { Form } from "../../ui/form.tsx";
import { Verdict } from "../../ui/notice.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { Section } from "../../ui/section.tsx";
import { DateTimeField, fromLocal } from "../../ui/time-fields.tsx";
import { RuleList, useRuleWords } from "./rule-list.tsx";
import { rulesNow } from "./shown-rules.ts";
import classes from "./try-request.module.css";

interface TryRequestProps {
  readonly license: { readonly id: string; readonly version_pinned: string | null };
}

/** What a validation would return for an IP address, a version and a time, and which rules decide it. */
export function TryRequest({ license }: TryRequestProps) {
  const { t } = useTranslation("requests");
  const words = useRuleWords();
  const [ip, setIp] = useState("");
  const [version, setVersion] = useState(license.version_pinned ?? "");
  const [at, setAt] = useState("");
  const tried = useMutation({
    mutationFn: (body: Body<"explainLicense">) =>
      call("explainLicense", { params: { license_id: license.id }, body }),
  });
  const submit = async () => {
    const time = fromLocal(at);
    try {
      await tried.mutateAsync({
        ...(ip.trim() === "" ? {} : { ip: ip.trim() }),
        ...(version.trim() === "" ? {} : { version: version.trim() }),
        ...(time === null ? {} : { at: time }),
      });
    } catch {}
  };
  const result = tried.data;
  return (
    <Section title={t("try.title")} id="try-request">
      <Text c="dimmed" size="sm" mb="sm">
        {t("try.lead")}
      </Text>
      <Form onSubmit={submit} typed={null} error={tried.error} className={classes.form}>
        <TextInput
          label={t("try.ip")}
          description={t("try.ipHelp")}
          placeholder="203.0.113.7"
          inputWrapperOrder={["label", "input", "description", "error"]}
          value={ip}
          maxLength={64}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setIp(event.currentTarget.value)}
          error={fieldError(tried.error, "ip")}
        />
        <TextInput
          label={t("try.version")}
          description={t("try.versionHelp")}
          placeholder="2.1.0"
          inputWrapperOrder={["label", "input", "description", "error"]}
          value={version}
          maxLength={200}
          autoComplete="off"
          onChange={(event) => setVersion(event.currentTarget.value)}
          error={fieldError(tried.error, "version")}
        />
        <DateTimeField
          label={t("try.at")}
          description={t("try.atHelp")}
          inputWrapperOrder={["label", "input", "description", "error"]}
          value={at}
          onChange={setAt}
          error={fieldError(tried.error, "at")}
        />
        <Button type="submit" variant="default" loading={tried.isPending} className={classes.do ?? ""}>
          {t("try.do")}
        </Button>
      </Form>
      <Stack gap="sm" mt={result === undefined && tried.error === null ? 0 : "md"} role="status">
        <ProblemAlert error={tried.error} beside={["ip", "version", "at"]} />
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
                  {words.ofExplained(rule)}
                </Text>
              ))}
          </Verdict>
        )}
      </Stack>
      {result !== undefined && (
        <Box mt="sm">
          <RuleList label={t("try.title")} rules={rulesNow(result.rules, words)} />
        </Box>
      )}
    </Section>
  );
}
