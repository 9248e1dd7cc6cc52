import { Box, Button, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { Trans, useTranslation } from "react-i18next";
import { ApiProblem } from "../../api/problem.ts";
import { ask } from "../../api/queries.ts";
import { useMay, useMaySee, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import type { PageLink } from "../../ui/links.tsx";
import { Back, GoLink } from "../../ui/links.tsx";
import { List } from "../../ui/list.tsx";
import { Notice } from "../../ui/notice.tsx";
import { MissingPage, Page } from "../../ui/page.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Fact, Facts, Section } from "../../ui/section.tsx";
import { Time } from "../../ui/time.tsx";
import { ApproveQuestion, RejectDialog } from "./decision-dialogs.tsx";
import {
  decisionKey,
  HolderName,
  type Transfer,
  TransferState,
  useHolderName,
  type Warning,
  warningsOf,
} from "./transfer.tsx";
import classes from "./transfer-page.module.css";

const transferRoute = getRouteApi("/signed-in/o/$organization/transfers/$transferId");

/** One transfer: who gives which license to whom, what to know about it, and the decision. */
export function TransferPage() {
  const { t } = useTranslation("transfers");
  const organization = useOrganization();
  const { transferId } = transferRoute.useParams();
  const { data: transfer, error } = useQuery({
    ...ask("getTransfer", { params: { transfer_id: transferId } }),
    // The customer can cancel it at any time.
    refetchInterval: ({ state }) => (state.data?.state === "pending" ? 30_000 : false),
  });
  if (error instanceof ApiProblem && error.status === 404) return <MissingPage />;
  if (transfer !== undefined && transfer.organization_id !== organization.id) return <MissingPage />;
  if (transfer === undefined)
    return (
      <Page title={t("transfer")} above={<Back to={paths.transfers(organization.slug)}>{t("title")}</Back>}>
        <ProblemAlert error={error} />
        {error === null && <Skeleton height={220} />}
      </Page>
    );
  return <LoadedTransfer transfer={transfer} />;
}

function LoadedTransfer({ transfer }: { transfer: Transfer }) {
  const { t } = useTranslation("transfers");
  const { slug } = useOrganization();
  const may = useMay();
  const nameOf = useHolderName();
  const { license, product } = useSubjects(transfer);
  const [open, setOpen] = useState<"approve" | "reject" | null>(null);
  const [refusal, setRefusal] = useState<Error | null>(null);
  const warnings = warningsOf(transfer, license, product, Date.now());
  const mayDecide = transfer.state === "pending" && may("transfers:review");
  const close = () => setOpen(null);
  /** The server refused because something has changed: the page shows why, and the current state. */
  const refuse = (problem: Error) => {
    setRefusal(problem);
    close();
  };
  const start = (what: "approve" | "reject") => {
    setRefusal(null);
    setOpen(what);
  };
  return (
    <Page
      title={t("transferTo", { name: nameOf(transfer.to) })}
      above={<Back to={paths.transfers(slug)}>{t("title")}</Back>}
      beside={<TransferState state={transfer.state} />}
      lead={transfer.product_name}
      actions={
        mayDecide && (
          <>
            <Button variant="default" onClick={() => start("reject")}>
              {t("reject.open")}
            </Button>
            <Button disabled={warnings.some(({ isRefused }) => isRefused)} onClick={() => start("approve")}>
              {t("approve.open")}
            </Button>
          </>
        )
      }
    >
      {refusal !== null && (
        <Box mb="md">
          <ProblemAlert error={refusal} />
        </Box>
      )}
      {warnings.map((warning) => (
        <WarningNotice key={warning.kind} warning={warning} transfer={transfer} />
      ))}
      <Stack gap="lg">
        <Section title={t("request")}>
          <RequestFacts transfer={transfer} />
        </Section>
        {transfer.message !== null && (
          <Section title={t("message")}>
            <Text className={classes.message ?? ""}>{transfer.message}</Text>
          </Section>
        )}
        <Section title={t("history")}>
          <TransferHistory transfer={transfer} />
        </Section>
        <OtherTransfers transfer={transfer} />
      </Stack>
      <ApproveQuestion
        transfer={transfer}
        license={license}
        product={product}
        opened={open === "approve" && mayDecide}
        onClose={close}
        onRefused={refuse}
      />
      <RejectDialog
        transfer={transfer}
        opened={open === "reject" && mayDecide}
        onClose={close}
        onRefused={refuse}
      />
    </Page>
  );
}

/** The license and its product; null without permission, or once the license is deleted. */
function useSubjects(transfer: Transfer) {
  const maySee = useMaySee();
  const isWaiting = transfer.state === "pending";
  const license = useQuery({
    ...ask("getLicense", { params: { license_id: transfer.license_id } }),
    enabled: isWaiting && transfer.license_exists && maySee("licenses:view"),
  });
  const product = useQuery({
    ...ask("getProduct", { params: { product_id: transfer.product_id } }),
    enabled: isWaiting && maySee("products:view", "products:manage", "products:rotate_key"),
  });
  return { license: license.data ?? null, product: product.data ?? null };
}

function RequestFacts({ transfer }: { transfer: Transfer }) {
  const { t } = useTranslation("transfers");
  const { slug } = useOrganization();
  const maySee = useMaySee();
  const key = <span className="mono">{transfer.license_key_hint}</span>;
  return (
    <Facts>
      <Fact name={t("from")}>
        <HolderName holder={transfer.from} />
      </Fact>
      <Fact name={t("to")}>
        <HolderName holder={transfer.to} />
      </Fact>
      <Fact name={t("license")}>
        {transfer.license_exists && maySee("licenses:view") ? (
          <GoLink to={paths.license(slug, transfer.license_id)}>{key}</GoLink>
        ) : (
          key
        )}
        {!transfer.license_exists && <Text c="dimmed">{t("licenseDeleted")}</Text>}
      </Fact>
      <Fact name={t("product")}>
        {maySee("products:view", "products:manage") ? (
          <GoLink to={paths.productPortal(slug, transfer.product_id)}>{transfer.product_name}</GoLink>
        ) : (
          transfer.product_name
        )}
      </Fact>
      <Fact name={t("requested")}>
        <Time at={transfer.requested_at} />
      </Fact>
    </Facts>
  );
}

/** Something to know before deciding, and what to do about it. */
function WarningNotice({ warning, transfer }: { warning: Warning; transfer: Transfer }) {
  const { t } = useTranslation("transfers");
  const place = usePlace(warning, transfer);
  return (
    <Notice tone={warning.isRefused ? "bad" : "warn"} title={t(`warning.${warning.kind}.title`)}>
      <Text>
        {warning.kind === "transferred_recently" ? (
          <Trans
            t={t}
            i18nKey="warning.transferred_recently.words"
            components={{ when: <Time at={warning.at} /> }}
          />
        ) : (
          t(`warning.${warning.kind}.words`)
        )}
      </Text>
      {place !== null && <GoLink to={place}>{t(`warning.${warning.kind}.go`)}</GoLink>}
    </Notice>
  );
}

/** The page where the member can look into it; null if there is none. */
function usePlace({ kind }: Warning, transfer: Transfer): PageLink | null {
  const { slug } = useOrganization();
  const maySee = useMaySee();
  const customerId = transfer.to.global_customer_id;
  switch (kind) {
    case "product_inactive":
      return maySee("products:manage") ? paths.productDanger(slug, transfer.product_id) : null;
    case "license_revoked":
      return maySee("licenses:view") ? paths.license(slug, transfer.license_id) : null;
    case "target_blocked":
      return customerId !== null && maySee("customers:view", "customers:manage")
        ? paths.customer(slug, customerId)
        : null;
    case "transferred_recently":
      return null;
  }
}

/** When it was requested, and how it was decided. */
function TransferHistory({ transfer }: { transfer: Transfer }) {
  const { t } = useTranslation("transfers");
  const from = useHolderName()(transfer.from);
  const decision = decisionKey(transfer);
  return (
    <ol className={classes.history}>
      <li>
        {t("requestedBy", { name: from })} · <Time at={transfer.requested_at} />
        {transfer.review_reason !== null && (
          <Text c="dimmed">{t(`reviewReason.${transfer.review_reason}`)}</Text>
        )}
      </li>
      {decision === null || transfer.decided_at === null ? (
        <li>{t("decision.waiting")}</li>
      ) : (
        <li>
          {t(decision, { name: transfer.decided_by_name })} · <Time at={transfer.decided_at} />
          {transfer.state === "rejected" && transfer.reason !== null && (
            <Text className={classes.message ?? ""} c="dimmed">
              {t("reasonIs", { reason: transfer.reason })}
            </Text>
          )}
        </li>
      )}
    </ol>
  );
}

/** The license's other transfers, newest first; null if there are none. */
function OtherTransfers({ transfer }: { transfer: Transfer }) {
  const { t } = useTranslation("transfers");
  const { id, slug } = useOrganization();
  const nameOf = useHolderName();
  const { data } = useQuery(
    ask("listTransfers", {
      params: { organization_id: id },
      query: { license_id: transfer.license_id, limit: 20 },
    }),
  );
  const others = (data?.data ?? []).filter((other) => other.id !== transfer.id);
  if (others.length === 0) return null;
  return (
    <Section title={t("others")} bare>
      <List
        label={t("others")}
        columns={[
          {
            header: t("fromAndTo"),
            fills: true,
            cell: (other) => (
              <GoLink to={paths.transfer(slug, other.id)} style={{ overflowWrap: "anywhere" }}>
                {t("fromTo", { from: nameOf(other.from), to: nameOf(other.to) })}
              </GoLink>
            ),
          },
          { header: t("state"), whole: true, cell: (other) => <TransferState state={other.state} /> },
          { header: t("requested"), wide: true, at: (other) => other.requested_at },
        ]}
        rows={others}
        empty={null}
      />
    </Section>
  );
}
