import { Alert, SegmentedControl, Stack, Text } from "@mantine/core";
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { urlOf } from "../../api/client.ts";
import { ask } from "../../api/queries.ts";
import { useProblemTexts } from "../../i18n/problem-texts.ts";
import { paths } from "../../session/paths.ts";
import { Back } from "../../ui/back.tsx";
import { Copyable } from "../../ui/copy.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Page } from "../../ui/page.tsx";
import { Time } from "../../ui/time.tsx";
import classes from "./admin.module.css";
import { EmailFrame } from "./email-frame.tsx";
import { EmailState } from "./outbox-page.tsx";

const emailRoute = getRouteApi("/signed-in/admin/admin-layout/outbox/$id");

export function EmailPage() {
  const { t } = useTranslation("admin");
  const { failureText } = useProblemTexts();
  const { id } = emailRoute.useParams();
  const { as } = emailRoute.useSearch();
  const navigate = emailRoute.useNavigate();
  const params = { email_id: id };
  const { data: mail } = useSuspenseQuery(ask("getOutboxEmail", { params }));
  const links = [...new Set(mail.body_text?.match(/https?:\/\/[^\s<>"]+/g) ?? [])];
  const isText = as === "text" || mail.body_html === null;
  return (
    <Page
      title={mail.subject}
      above={<Back to={paths.outbox()}>{t("outbox.title")}</Back>}
      beside={<EmailState mail={mail} />}
      lead={
        <>
          {t("outbox.to", { recipient: mail.recipient })} · <Time at={mail.created_at} />
        </>
      }
    >
      <Stack>
        {mail.failure !== null && (
          <Alert color="red" icon={<Icon name="warning" />} title={t("outbox.failed")}>
            {failureText(mail.failure)}
          </Alert>
        )}
        {mail.body_text === null && mail.body_html === null ? (
          <Alert icon={<Icon name="lock" />}>{t("outbox.notShown")}</Alert>
        ) : (
          <>
            {links.length > 0 && (
              <Stack gap={4}>
                <Text size="sm" c="dimmed">
                  {t("outbox.links")}
                </Text>
                {links.map((link) => (
                  <Copyable key={link} value={link} />
                ))}
              </Stack>
            )}
            <SegmentedControl
              size="xs"
              w="fit-content"
              aria-label={t("emailTemplates.format")}
              value={isText ? "text" : "html"}
              onChange={(value) =>
                navigate({ search: { as: value === "text" ? "text" : undefined }, replace: true })
              }
              data={[
                { value: "html", label: t("emailTemplates.html"), disabled: mail.body_html === null },
                { value: "text", label: t("emailTemplates.text") },
              ]}
            />
            {isText ? (
              <pre className={classes.plain}>{mail.body_text}</pre>
            ) : (
              <EmailFrame src={urlOf("getOutboxEmailHtml", { params })} title={mail.subject} />
            )}
          </>
        )}
      </Stack>
    </Page>
  );
}
