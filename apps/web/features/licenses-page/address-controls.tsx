import { Button, Switch, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ask, useChange } from "../../api/queries.ts";
import { Form } from "../../ui/form.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { tell, tellProblem } from "../../ui/tell.tsx";
import { type License, touched } from "./license.ts";
import classes from "./license-page.module.css";

/** Gives an address a place, as a validation from there would. */
export function AddAddress({ license }: { license: License }) {
  const { t } = useTranslation("licenses-page");
  const add = useChange("addLicenseIp", touched);
  const [ip, setIp] = useState("");
  const submit = async () => {
    try {
      const added = await add.mutateAsync({ params: { license_id: license.id }, body: { ip } });
      tell(t("addresses.added", { ip: added.ip }));
      setIp("");
    } catch {}
  };
  return (
    <>
      <Form onSubmit={submit} typed={ip} error={add.error} className={classes.addAddress}>
        <TextInput
          aria-label={t("addresses.addLabel")}
          placeholder={t("addresses.addLabel")}
          required
          value={ip}
          onChange={(event) => setIp(event.currentTarget.value)}
          error={fieldError(add.error, "ip")}
        />
        <Button type="submit" variant="default" loading={add.isPending}>
          {t("everywhere:add")}
        </Button>
      </Form>
      <ProblemAlert error={add.error} beside={["ip"]} />
    </>
  );
}

/** Turns at once; turns back, with the reason, when the server refuses. */
export function CheckSwitch({ license }: { license: License }) {
  const { t } = useTranslation("licenses-page");
  const queries = useQueryClient();
  const update = useChange("updateLicense", touched);
  const { queryKey } = ask("getLicense", { params: { license_id: license.id } });
  const turn = async (isOn: boolean) => {
    queries.setQueryData(queryKey, { ...license, ip_system_enabled: isOn });
    try {
      await update.mutateAsync({ params: { license_id: license.id }, body: { ip_system_enabled: isOn } });
    } catch (error) {
      queries.setQueryData(queryKey, license);
      tellProblem(error);
    }
  };
  return (
    <Switch
      size="sm"
      label={t("fields.ip_system_enabled")}
      checked={license.ip_system_enabled}
      onChange={(event) => void turn(event.currentTarget.checked)}
    />
  );
}
