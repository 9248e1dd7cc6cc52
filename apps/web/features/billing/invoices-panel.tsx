import { shownAmount } from "@countersign/domain/billing/money";
import { Anchor, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { ask } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { List } from "../../ui/list.tsx";
import { Panel } from "../../ui/section.tsx";
import { StateMark } from "../../ui/state-mark.tsx";
import { shortDate } from "../../ui/time.tsx";
import type { Billing } from "./billing.ts";

type Invoice = Item<"listInvoices">;

const tones = { draft: "wait", open: "warn", paid: "good", uncollectible: "bad", void: "off" } as const;

/** The latest invoices; null for organizations that have never paid here. */
export function InvoicesPanel({ billing }: { readonly billing: Billing }) {
  const { t } = useTranslation("billing");
  if (!billing.can_manage_payments) return null;
  return (
    <Panel title={t("invoices.title")}>
      <Invoices />
    </Panel>
  );
}

function Invoices() {
  const { t, i18n } = useTranslation("billing");
  const { id } = useOrganization();
  const list = useQuery(ask("listInvoices", { params: { organization_id: id } }));
  return (
    <List
      label={t("invoices.title")}
      list={list}
      columns={[
        {
          header: t("invoices.number"),
          cell: ({ number, url, created_at: createdAt }) => (
            <>
              {url === null ? (
                (number ?? t("invoices.draft"))
              ) : (
                <Out href={url}>{number ?? t("invoices.draft")}</Out>
              )}
              <Text inherit c="dimmed" hiddenFrom="sm">
                {shortDate(createdAt, i18n.language)}
              </Text>
            </>
          ),
        },
        {
          header: t("invoices.date"),
          wide: true,
          cell: (invoice) => shortDate(invoice.created_at, i18n.language),
        },
        {
          header: t("invoices.amount"),
          align: "right",
          cell: ({ total, currency }) => (
            <span className="figures">{shownAmount(total, currency, i18n.language)}</span>
          ),
        },
        {
          header: t("invoices.status"),
          whole: true,
          cell: (invoice) => <InvoiceStatus status={invoice.status} />,
        },
        {
          header: t("invoices.file"),
          wide: true,
          cell: ({ pdf_url: url }) => url !== null && <Out href={url}>{t("invoices.pdf")}</Out>,
        },
      ]}
      empty={t("invoices.none")}
    />
  );
}

function InvoiceStatus({ status }: Pick<Invoice, "status">) {
  const { t } = useTranslation("billing");
  const state = Object.keys(tones).find((name): name is keyof typeof tones => name === status);
  if (state === undefined) return status;
  return <StateMark tone={tones[state]}>{t(`invoices.states.${state}`)}</StateMark>;
}

/** In a new tab: it is a page of the payment provider. */
function Out({ href, children }: { readonly href: string; readonly children: string }) {
  const { t } = useTranslation();
  return (
    <Anchor
      href={href}
      target="_blank"
      rel="noopener noreferrer"
      inherit
      display="block"
      title={t("docs.newTab")}
    >
      {children}
    </Anchor>
  );
}
