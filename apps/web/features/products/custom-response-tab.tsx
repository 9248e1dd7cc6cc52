import { Alert, Button, Group, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useMay } from "../../session/current-organization.ts";
import { Icon } from "../../ui/icon.tsx";
import { notify } from "../../ui/notify.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Panel } from "../../ui/section.tsx";
import { useGuard } from "../../ui/unsaved.ts";
import { useSending } from "../../ui/use-sending.ts";
import classes from "./custom-response-tab.module.css";
import { type Product, useProduct, useProductChange } from "./frame/use-product.ts";
import { SwitchSetting } from "./settings/setting-kinds.tsx";
import { checkTemplate, Placeholders, TemplateEditor } from "./template-editor.tsx";
import { TemplatePreview } from "./template-preview.tsx";

/** The custom response: a template, its placeholders and a preview. */
export function CustomResponseTab() {
  const { t, i18n } = useTranslation("products");
  const product = useProduct();
  const isFixed = !useMay()("products:manage");
  const { change, submit } = useProductChange(product);
  const kept = written(product.custom_response);
  const [draft, setDraft] = useState<{ text: string; basis: string } | null>(null);
  const { send, isBusy, error } = useSending();
  const field = useRef<HTMLTextAreaElement>(null);
  const text = draft?.text ?? kept;
  const [settled] = useDebouncedValue(text, 250);
  const checked = checkTemplate(text);
  const isChanged = draft !== null && draft.text !== kept;
  const isOverwriting = isChanged && draft.basis !== kept && !isBusy;
  useGuard(() => isChanged);
  const save = () => {
    if (!checked.ok || !isChanged || isOverwriting) return;
    const { template } = checked;
    const before = product.custom_response;
    void send(async () => {
      await submit({ custom_response: template });
      setDraft(null);
      notify(t("saved"), () => change({ custom_response: before }));
    });
  };
  const set = (next: string) => setDraft((old) => ({ text: next, basis: old?.basis ?? kept }));
  return (
    <>
      <Panel title={t("custom.title")} lead={t("custom.lead")}>
        <div>
          <SwitchSetting name="custom_response_enabled" product={product} isFixed={isFixed} />
          <SwitchSetting name="custom_response_on_refusal" product={product} isFixed={isFixed} />
        </div>
      </Panel>
      <Panel
        title={t("custom.template")}
        lead={t("custom.templateWords", { placeholder: "{{license.max_ips}}" })}
      >
        {isOverwriting && (
          <Alert color="orange" icon={<Icon name="warning" />} title={t("custom.conflict")}>
            <Group gap="xs" mt={4}>
              <Button size="compact-sm" variant="default" onClick={() => setDraft({ text, basis: kept })}>
                {t("custom.keepMine")}
              </Button>
              <Button size="compact-sm" variant="default" onClick={() => setDraft(null)}>
                {t("custom.takeTheirs")}
              </Button>
            </Group>
          </Alert>
        )}
        <ProblemAlert error={error} />
        <div className={classes.columns}>
          <div>
            <TemplateEditor
              value={text}
              onChange={set}
              faults={checked.ok ? [] : checked.faults}
              isFixed={isFixed}
              field={field}
              onSave={save}
            />
            {!isFixed && (
              <Group gap="xs" mt="sm">
                <Button onClick={save} loading={isBusy} disabled={!checked.ok || !isChanged || isOverwriting}>
                  {t("custom.save")}
                </Button>
                <Button
                  variant="default"
                  disabled={!checked.ok || checked.template === null}
                  onClick={() => checked.ok && set(written(checked.template))}
                >
                  {t("custom.format")}
                </Button>
                {isChanged && (
                  <Button variant="subtle" color="gray" onClick={() => setDraft(null)}>
                    {t("custom.discard")}
                  </Button>
                )}
                <Text size="sm" c="dimmed" ml="auto" className="figures">
                  {t("custom.size", { kib: inKib(text, i18n.language) })}
                </Text>
              </Group>
            )}
          </div>
          <TemplatePreview product={product} text={settled} />
        </div>
        {!isFixed && <Placeholders field={field} />}
      </Panel>
    </>
  );
}

function written(template: Product["custom_response"]): string {
  return template === null ? "" : JSON.stringify(template, null, 2);
}

function inKib(text: string, language: string): string {
  const format = new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  return format.format(new TextEncoder().encode(text).length / 1_024);
}
