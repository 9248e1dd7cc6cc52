import { parseVersionRecord } from "@countersign/domain/versions/catalog";
import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../../api/queries.ts";
import { Form } from "../../ui/form.tsx";
import { notify } from "../../ui/notify.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { states, type VersionState } from "../products/frame/use-versions.ts";
import classes from "./add-version.module.css";

export function AddVersion({ productId }: { productId: string }) {
  const { t } = useTranslation("versions");
  const [version, setVersion] = useState("");
  const [state, setState] = useState<VersionState>("allowed");
  const add = useChange("addVersion");
  const remove = useChange("deleteVersion");
  const written = version.trim();
  const isUnreadable = written !== "" && parseVersionRecord(written) === null;
  const submit = async () => {
    const added = await add
      .mutateAsync({ params: { product_id: productId }, body: { version: written, state } })
      .catch(() => null);
    if (added === null) return;
    setVersion("");
    setState("allowed");
    notify(t("added", { version: added.version }), () =>
      remove.mutateAsync({ params: { product_id: productId, version: added.version } }),
    );
  };
  return (
    <Form onSubmit={submit} typed={version} base="" error={add.error} className={classes.form}>
      <TextInput
        className={classes.version ?? ""}
        label={t("version")}
        description={t("versionHint")}
        placeholder="2.1.3"
        maxLength={64}
        autoComplete="off"
        spellCheck={false}
        value={version}
        onChange={(event) => {
          setVersion(event.currentTarget.value);
          if (add.error !== null) add.reset();
        }}
        data-unreadable={isUnreadable || undefined}
        required
        withAsterisk={false}
        error={isUnreadable ? t("unreadable") : fieldError(add.error, "version")}
      />
      <NativeSelect
        label={t("state")}
        description={t(`description.${state}`)}
        value={state}
        onChange={(event) => setState(event.currentTarget.value as VersionState)}
        data={states.map((value) => ({ value, label: t(`states.${value}`) }))}
      />
      <Button type="submit" loading={add.isPending} disabled={written === "" || isUnreadable}>
        {t("add")}
      </Button>
      <div className={classes.problem}>
        <ProblemAlert error={add.error} beside={["version"]} />
      </div>
    </Form>
  );
}
