import { isRefused } from "@countersign/domain/validate/status";
import { whyLogged } from "@countersign/domain/validate/why";
import { Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { ApiProblem } from "../../api/problem.ts";
import { ask } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Dimmed } from "../../ui/dimmed.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Back, GoButton } from "../../ui/links.tsx";
import { Verdict } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Section } from "../../ui/section.tsx";
import { Time } from "../../ui/time.tsx";
import { nextSteps } from "./next-steps.ts";
import type { LoggedRequest } from "./request.tsx";
import { RequestFacts } from "./request-facts.tsx";
import classes from "./request-page.module.css";
import { RuleList, rulesNow, rulesThen, useRuleWords } from "./rule-list.tsx";

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
            <CurrentExplanation request={request} />
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
  const ruleText = useRuleWords();
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
        {refusal !== undefined && <Text>{ruleText.ofLogged(refusal)}</Text>}
        {request.sandbox && <Dimmed>{t("one.sandboxWords")}</Dimmed>}
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
  const ruleText = useRuleWords();
  return (
    <Section title={t("one.whyTitle")} id="why">
      <Dimmed mb="xs">{t("one.whyLead")}</Dimmed>
      <RuleList label={t("one.whyTitle")} rules={rulesThen(whyLogged(request), ruleText)} />
    </Section>
  );
}

type Explained = Answer<"explainRequest">;

/** What the same request would get now, which rules decide otherwise than then, and what cannot be known. */
function CurrentExplanation({ request }: { request: LoggedRequest }) {
  const { t } = useTranslation("requests");
  const { id: organizationId } = useOrganization();
  const ruleText = useRuleWords();
  const params = { organization_id: organizationId, request_id: request.id };
  const explanation = useQuery({ ...ask("explainRequest", { params }), staleTime: 0 });
  return (
    <Section
      title={t("one.nowTitle")}
      actions={
        !request.sandbox && (
          <Button
            size="xs"
            variant="default"
            leftSection={<Icon name="refresh" size={14} />}
            loading={explanation.isFetching}
            onClick={() => void explanation.refetch()}
          >
            {t("one.recheck")}
          </Button>
        )
      }
    >
      <Stack gap="sm">
        <ProblemAlert error={explanation.error} />
        {explanation.isPending && <Skeleton height={120} />}
        {explanation.data !== undefined && (
          <>
            <Now request={request} explained={explanation.data} />
            {explanation.data.rules.length > 0 && (
              <RuleList
                label={t("one.nowTitle")}
                rules={rulesNow(explanation.data.rules, ruleText, whyLogged(request))}
              />
            )}
          </>
        )}
      </Stack>
    </Section>
  );
}

/** The outcome, or why there is none. */
function Now({ request, explained }: { request: LoggedRequest; explained: Explained }) {
  const { t } = useTranslation("requests");
  const { outcome, accepted, unrepeatable } = explained;
  const note =
    unrepeatable === null ? t(`one.nowWords.${request.endpoint}`) : t(`one.unrepeatable.${unrepeatable}`);
  if (outcome === null) return <Text>{note}</Text>;
  return (
    <Verdict
      isRefused={accepted === false}
      title={
        outcome === request.outcome
          ? t("one.same", { outcome: t(`outcomes.${outcome}`) })
          : t("one.differs", { before: t(`outcomes.${request.outcome}`), now: t(`outcomes.${outcome}`) })
      }
    >
      <Dimmed>{note}</Dimmed>
    </Verdict>
  );
}
