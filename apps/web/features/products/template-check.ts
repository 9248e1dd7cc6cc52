import { customResponseProblems, type TemplateFault } from "@countersign/domain/custom-response/check";

type Checked =
  | { readonly ok: true; readonly template: Record<string, unknown> | null }
  | { readonly ok: false; readonly faults: readonly Fault[] };

export interface Fault {
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
