import { Text } from "@mantine/core";
import { type RefObject, useId } from "react";
import { useTranslation } from "react-i18next";
import type { Fault } from "./template-check.ts";
import classes from "./template-editor.module.css";

interface TemplateEditorProps {
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly faults: readonly Fault[];
  readonly isFixed: boolean;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly onSave: () => void;
}

const fewestLines = 12;

/** JSON with numbered lines. Errors are listed below, and their lines are marked. */
export function TemplateEditor({ value, onChange, faults, isFixed, field, onSave }: TemplateEditorProps) {
  const { t } = useTranslation("products");
  const id = useId();
  const count = Math.max(fewestLines, value.split("\n").length + 1);
  const wrong = new Set(faults.map(({ line }) => line));
  return (
    <div>
      <div className={classes.editor} data-wrong={faults.length > 0 || undefined}>
        <div className={classes.lines} aria-hidden="true">
          {Array.from({ length: count }, (_, line) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the index is the line number.
            <span key={line} data-wrong={wrong.has(line + 1) || undefined}>
              {line + 1}
            </span>
          ))}
        </div>
        <textarea
          ref={field}
          className={classes.text}
          rows={count}
          wrap="off"
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          readOnly={isFixed}
          aria-label={t("custom.template")}
          aria-invalid={faults.length > 0}
          aria-describedby={`${id}-faults`}
          placeholder={'{\n  "plan": "pro"\n}'}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "s" && (event.ctrlKey || event.metaKey)) {
              event.preventDefault();
              onSave();
            }
          }}
        />
      </div>
      <div id={`${id}-faults`} aria-live="polite">
        {faults.map((fault) => (
          <Text
            key={`${fault.kind} ${fault.line} ${fault.written}`}
            size="sm"
            c="var(--mantine-color-error)"
            mt={6}
          >
            {fault.line !== null && `${t("custom.line", { line: fault.line })} `}
            {t(`custom.fault.${fault.kind}`, { written: fault.written })}
          </Text>
        ))}
      </div>
    </div>
  );
}
