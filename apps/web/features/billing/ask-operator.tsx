import { Anchor, Text } from "@mantine/core";
import { Trans, useTranslation } from "react-i18next";
import { Panel } from "../../ui/section.tsx";
import { type Billing, contactHref, isSetByOperator } from "./billing.ts";

/** Whom to ask about another plan: the operator's contact, or the operator of this server in general. */
export function AskOperator({ contact }: { readonly contact: string | null }) {
  const href = contactHref(contact);
  return (
    <Text>
      {href === null ? (
        <Trans ns="billing" i18nKey="ask.operator" />
      ) : (
        <Trans
          ns="billing"
          i18nKey="ask.contact"
          values={{ contact }}
          components={{ a: <Anchor href={href} inherit underline="always" rel="noopener" /> }}
        />
      )}
    </Text>
  );
}

/** For organizations that cannot buy a plan here. */
export function AskPanel({ billing }: { readonly billing: Billing }) {
  const { t } = useTranslation("billing");
  return (
    <Panel title={t("ask.title")}>
      <div>
        <Text>{t(isSetByOperator(billing) ? "ask.setByOperator" : "ask.noPayments")}</Text>
        {/* Without a contact, the sentence says it all. */}
        {contactHref(billing.contact) !== null && <AskOperator contact={billing.contact} />}
      </div>
    </Panel>
  );
}
