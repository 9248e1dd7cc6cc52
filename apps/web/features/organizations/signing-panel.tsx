import { Stack, Switch, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import { ask, reloadAfter } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { notify, notifyProblem } from "../../ui/notify.tsx";
import { Panel } from "../../ui/panel.tsx";
import { ValidateHelp } from "../../ui/validate-help.tsx";

/** Turned on immediately, turned off after confirmation. Reverted with a reason if refused. */
export function SigningPanel() {
  const { t } = useTranslation("organizations");
  const organization = useOrganization();
  const [isAsking, setAsking] = useState(false);
  const set = useMutation({
    mutationFn: (isOn: boolean) =>
      call("updateOrganization", {
        params: { organization_id: organization.id },
        body: { signed_validation: isOn },
      }),
    onSettled: () => reloadAfter("updateOrganization"),
  });
  const isOn = set.isPending ? (set.variables ?? false) : organization.signed_validation;
  const change = async (next: boolean) => {
    await set.mutateAsync(next);
    notify(t(next ? "signing.nowOn" : "signing.nowOff"), () => set.mutateAsync(!next));
  };
  return (
    <Panel title={t("signing.title")} lead={t("signing.lead")}>
      <Switch
        label={t("signing.label")}
        description={t(isOn ? "signing.on" : "signing.off")}
        checked={isOn}
        onChange={(event) =>
          event.currentTarget.checked ? void change(true).catch(notifyProblem) : setAsking(true)
        }
      />
      <ValidateHelp about="signing" />
      <Confirm
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={t("signing.stop.title")}
        action={t("signing.stop.do")}
        onConfirm={() => change(false)}
      >
        <Stack gap="xs">
          <Text>{t("signing.stop.words")}</Text>
          <SigningProducts />
        </Stack>
      </Confirm>
    </Panel>
  );
}

/** The products whose responses are signed now. */
function SigningProducts() {
  const { t, i18n } = useTranslation("organizations");
  const { id } = useOrganization();
  const products = useQuery(ask("listProducts", { params: { organization_id: id }, query: { limit: 200 } }));
  if (products.data === undefined) return null;
  const names = products.data.data.filter((product) => product.signed_validation).map(({ name }) => name);
  const shown = new Intl.ListFormat(i18n.language).format(names.slice(0, 10));
  return (
    <Text fw={600} role="status">
      {names.length === 0
        ? t("signing.stop.none")
        : t("signing.stop.count", { count: names.length, names: names.length > 10 ? `${shown} …` : shown })}
    </Text>
  );
}
