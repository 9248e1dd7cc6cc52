import { isRefused } from "@countersign/domain/validate/status";
import { whyLogged } from "@countersign/domain/validate/why";
import { Group, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ApiProblem } from "../../api/problem.ts";
import { ask } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Back } from "../../ui/back.tsx";
import { Empty } from "../../ui/empty.tsx";
import { GoButton } from "../../ui/go-button.tsx";
import { Verdict } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Section } from "../../ui/section.tsx";
import { Time } from "../../ui/time.tsx";
import { nextSteps } from "./next-steps.ts";
import type { LoggedRequest } from "./request.ts";
import { RequestFacts } from "./request-facts.tsx";
import classes from "./request-page.module.css";
import { RuleList } from "./rule-list.tsx";
import { useRuleWords } from "./rule-words.ts";
import { SaidNow } from "./said-now.tsx";
import { rulesThen } from "./shown-rules.ts";

const requestRoute = getRouteApi("/signed-in/o/$organization/requests/$requestId");

/** One request of the log: why it was answered as it was, and what it would get now. */
export function RequestPage() {
  const { t } = useTranslation("requests");
  const { id: organizationId, slug } = useOrganization();
  const { requestId } = requestRoute.useParams();
  const { data: request, error } = useQuery(
    ask("getRequest", { params: { organization_id: organizationId, request_id: requestId } }),
  );
  const list = paths.requests(slug);
  const isMissing = error instanceof ApiProblem && error.status === 404;
  return (
    <Page
      title={t("one.title")}
      above={<Back to={list}>{t("title")}</Back>}
      lead={request === undefined ? undefined : <Lead request={request} />}
    >
      {isMissing ? (
        <Empty
          icon="request"
          title={t("one.missing.title")}
          action={
            <GoButton variant="default" to={list}>
              {t("one.missing.all")}
            </GoButton>
          }
        >
          {t("one.missing.words")}
        </Empty>
      ) : (
        <ProblemAlert error={error} />
      )}
      {request === undefined && error === null && <Skeleton height={320} />}
      {request !== undefined && (
        <div className={classes.layout}>
          <div className={classes.verdict}>
            <Outcome request={request} />
          </div>
          <div className={classes.main}>
            <Why request={request} />
            <SaidNow request={request} />
          </div>
          <RequestFacts request={request} />
        </div>
      )}
    </Page>
  );
}

function Lead({ request }: { request: LoggedRequest }) {
  return (
    <>
      <Time at={request.at} /> · <span className="mono">{request.ip}</span>
      {request.customer_name !== null && <> · {request.customer_name}</>}
    </>
  );
}

/** The outcome, its reason in one sentence, and what can be done about it. */
function Outcome({ request }: { request: LoggedRequest }) {
  const { t } = useTranslation("requests");
  const { slug } = useOrganization();
  const may = useMay();
  const words = useRuleWords();
  const refusal = whyLogged(request).find(({ result }) => result === "refused");
  const steps = nextSteps(request, slug).filter(({ any }) => may(...any));
  return (
    <Verdict
      isRefused={isRefused(request.outcome)}
      title={
        !isRefused(request.outcome)
          ? t(`one.accepted.${request.outcome}`)
          : t("one.refusedTitle", { outcome: t(`outcomes.${request.outcome}`) })
      }
    >
      <Stack gap="xs">
        {refusal !== undefined && <Text>{words.ofLogged(refusal)}</Text>}
        {request.sandbox && (
          <Text size="sm" c="dimmed">
            {t("one.sandboxWords")}
          </Text>
        )}
        {steps.length > 0 && !request.sandbox && (
          <Group gap="xs">
            {steps.map(({ name, page }) => (
              <GoButton key={name} size="compact-sm" variant="default" to={page}>
                {t(`next.${name}`, { ip: request.ip })}
              </GoButton>
            ))}
          </Group>
        )}
      </Stack>
    </Verdict>
  );
}

function Why({ request }: { request: LoggedRequest }) {
  const { t } = useTranslation("requests");
  const words = useRuleWords();
  return (
    <Section title={t("one.whyTitle")} id="why">
      <Text c="dimmed" size="sm" mb="xs">
        {t("one.whyLead")}
      </Text>
      <RuleList label={t("one.whyTitle")} rules={rulesThen(whyLogged(request), words)} />
    </Section>
  );
}
