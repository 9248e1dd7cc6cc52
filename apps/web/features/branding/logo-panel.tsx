import { maxLogoKib } from "@countersign/domain/branding/logo";
import { Button, FileButton, Group, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type DragEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { call, upload } from "../../api/client.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { Dimmed } from "../../ui/dimmed.tsx";
import { Icon } from "../../ui/icon.tsx";
import { notify } from "../../ui/notify.tsx";
import { fieldError } from "../../ui/problem-alert.tsx";
import { Panel } from "../../ui/section.tsx";
import classes from "./branding.module.css";
import type { Branding } from "./branding-draft.ts";

interface LogoPanelProps {
  readonly logoUrl: string | null;
  readonly onSaved: (branding: Branding) => void;
}

/** The logo, dropped or selected. It is saved at once, because only the server can tell whether it is one. */
export function LogoPanel({ logoUrl, onSaved }: LogoPanelProps) {
  const { t } = useTranslation("branding");
  const params = { organization_id: useOrganization().id };
  const reset = useRef<() => void>(null);
  const [isOver, setOver] = useState(false);
  const put = useMutation({
    mutationFn: (file: File) => {
      // The server would close the connection while the file is still being sent.
      if (file.size > maxLogoKib * 1_024) throw new Error(t("logo.tooLarge", { kib: maxLogoKib }));
      return upload("uploadLogo", file.slice(0, file.size, typeOf(file)), { params });
    },
    onSuccess: (saved) => {
      notify(t("logo.saved"));
      onSaved(saved);
    },
  });
  const remove = useMutation({
    mutationFn: () => call("removeLogo", { params }),
    onSuccess: (saved) => {
      put.reset();
      notify(t("logo.removed"));
      onSaved(saved);
    },
  });
  const error = put.error ?? remove.error;
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const [file] = event.dataTransfer.files;
    if (file !== undefined) put.mutate(file);
  };
  return (
    <Panel title={t("logo.title")} lead={t("logo.lead")}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same from the keyboard. */}
      <div
        className={classes.drop}
        data-over={isOver || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={(event) => {
          if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
        }}
        onDrop={drop}
      >
        <span className={classes.logo}>
          {logoUrl === null ? <Icon name="upload" size={22} /> : <img src={logoUrl} alt={t("logo.alt")} />}
        </span>
        <div className={classes.dropWords}>
          <Text fw={600}>{t(logoUrl === null ? "logo.none" : "logo.current")}</Text>
          <Dimmed>{t("logo.words")}</Dimmed>
        </div>
        <Group gap="xs">
          <FileButton
            resetRef={reset}
            accept=".png,.jpg,.jpeg,.webp,.svg"
            onChange={(file) => {
              if (file !== null) put.mutate(file);
              // Allows choosing the same file again after it was corrected.
              reset.current?.();
            }}
          >
            {(props) => (
              <Button variant="default" loading={put.isPending} {...props}>
                {t(logoUrl === null ? "logo.choose" : "logo.replace")}
              </Button>
            )}
          </FileButton>
          {logoUrl !== null && (
            <Button variant="subtle" color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
              {t("logo.remove")}
            </Button>
          )}
        </Group>
      </div>
      {error !== null && (
        <Text size="sm" c="red" role="alert">
          {fieldError(error, "logo") ?? error.message}
        </Text>
      )}
    </Panel>
  );
}

/** Anything else is sent as SVG: the server looks at the content and says what is wrong with it. */
function typeOf(file: File): string {
  return ["image/png", "image/jpeg", "image/webp"].includes(file.type) ? file.type : "image/svg+xml";
}
