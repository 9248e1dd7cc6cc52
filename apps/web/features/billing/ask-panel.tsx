import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Panel } from "../../ui/panel.tsx";
import { AskOperator } from "./ask-operator.tsx";
import { type Billing, isSetByOperator } from "./billing.ts";
import { contactHref } from "./contact.ts";

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
