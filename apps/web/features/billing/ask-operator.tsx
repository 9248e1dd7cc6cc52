import { Anchor, Text } from "@mantine/core";
import { Trans } from "react-i18next";
import { contactHref } from "./contact.ts";

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
