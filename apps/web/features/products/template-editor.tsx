import { customResponseProblems, type TemplateFault } from "@countersign/domain/custom-response/check";
import { placeholderNames } from "@countersign/domain/custom-response/template";
import { Button, Group, Text, Tooltip } from "@mantine/core";
import { type RefObject, useId } from "react";
import { useTranslation } from "react-i18next";
import { placeholderInsertion } from "./insert-placeholder.ts";
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

/** All placeholders. A click inserts one at the cursor. */
export function Placeholders({ field }: { field: RefObject<HTMLTextAreaElement | null> }) {
  const { t } = useTranslation("products");
  const insert = (name: string) => {
    const area = field.current;
    if (area === null) return;
    const { from, to, text } = placeholderInsertion(area.value, area.selectionStart, area.selectionEnd, name);
    area.focus();
    area.setSelectionRange(from, to);
    // Deprecated, but the only way to insert text that the browser can undo.
    document.execCommand("insertText", false, text);
  };
  return (
    <div>
      <Text fw={600}>{t("custom.placeholders")}</Text>
      <Text size="sm" c="dimmed" mb="xs">
        {t("custom.placeholdersWords")}
      </Text>
      <Group gap={6}>
        {placeholderNames.map((name) => (
          <Tooltip key={name} label={t(`custom.placeholder.${name.replace(".", "_")}`)}>
            <Button
              size="compact-sm"
              variant="default"
              className="mono"
              fw={400}
              onClick={() => insert(name)}
            >
              {name}
            </Button>
          </Tooltip>
        ))}
      </Group>
    </div>
  );
}

type Checked =
  | { readonly ok: true; readonly template: Record<string, unknown> | null }
  | { readonly ok: false; readonly faults: readonly Fault[] };

interface Fault {
  readonly kind: "no_json" | (typeof kinds)[TemplateFault["code"]];
  /** From 1; null where it is not known, or is about the whole. */
  readonly line: number | null;
  readonly written: string;
}

/** The texts of this page for what the server would refuse. */
const kinds = {
  not_an_object: "no_object",
  too_deep: "too_deep",
  json_too_large: "too_large",
  unknown_placeholder: "no_placeholder",
  misspelled_placeholder: "no_placeholder",
} as const satisfies Record<TemplateFault["code"], string>;

/** What the server would say to this text, said while it is typed. Nothing written is no template. */
export function checkTemplate(text: string): Checked {
  if (text.trim() === "") return { ok: true, template: null };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { ok: false, faults: [{ kind: "no_json", line: lineOfError(text, String(error)), written: "" }] };
  }
  const problems = customResponseProblems(value);
  if (problems.length === 0) return { ok: true, template: value as Record<string, unknown> };
  const faults = problems.map(({ fault: { code, params } }) => {
    const written = "placeholder" in params ? params.placeholder : "";
    return { kind: kinds[code], line: lineOf(text, written), written };
  });
  return { ok: false, faults };
}

/** Browsers describe the position in different ways; some do not. */
function lineOfError(text: string, message: string): number | null {
  const line = /line (\d+)/.exec(message)?.[1];
  if (line !== undefined) return Number(line);
  const position = /position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return lineAt(text, Number(position));
  return /end of|EOF/i.test(message) ? lineAt(text, text.trimEnd().length) : null;
}

function lineOf(text: string, written: string): number | null {
  const at = written === "" ? -1 : text.indexOf(written.replace(/…$/, ""));
  return at < 0 ? null : lineAt(text, at);
}

function lineAt(text: string, position: number): number {
  return text.slice(0, position).split("\n").length;
}
