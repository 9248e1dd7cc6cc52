/** What an expression of PromQL refers to. */
export interface Referenced {
  readonly metrics: ReadonlySet<string>;
  /** In selectors, `by`, `on` and the like. */
  readonly labels: ReadonlySet<string>;
}

const token = /"(?:[^"\\]|\\.)*"|\$?[A-Za-z_:][\w:]*|\d[\w.]*|[=!<>]=|=~|!~|\s+|./gy;
const isName = /^[A-Za-z_:]/;
/** Words that are followed by a list of labels. */
const labelLists = new Set(["by", "without", "on", "ignoring", "group_left", "group_right"]);
const afterAggregations = ["(", "by", "without"];
const operators = new Set(["and", "or", "unless", "offset", "bool", "inf", "nan"]);

/** Reads as much of the language as is needed to find names. Throws if brackets do not match. */
export function referencedBy(expression: string): Referenced {
  const tokens = (expression.match(token) ?? []).filter((text) => text.trim() !== "");
  const metrics = new Set<string>();
  const labels = new Set<string>();
  const open: string[] = [];
  for (const [index, text] of tokens.entries()) {
    const next = tokens[index + 1];
    if ("({[".includes(text))
      open.push(text === "(" && labelLists.has(tokens[index - 1] ?? "") ? "labels" : text);
    else if (")}]".includes(text)) close(open, text, expression);
    else if (!isName.test(text)) continue;
    else if (open.at(-1) === "{" && next !== undefined && /^(=|!=|=~|!~)$/.test(next)) labels.add(text);
    else if (open.at(-1) === "labels") labels.add(text);
    else if (
      open.at(-1) !== "[" &&
      !afterAggregations.includes(next ?? "") &&
      !labelLists.has(text) &&
      !operators.has(text)
    )
      metrics.add(text);
  }
  if (open.length > 0) throw new Error(`Something is not closed: ${expression}`);
  return { metrics, labels };
}

function close(open: string[], text: string, expression: string): void {
  const opened = open.pop();
  const expected = text === ")" ? ["(", "labels"] : [text === "}" ? "{" : "["];
  if (opened === undefined || !expected.includes(opened))
    throw new Error(`Brackets do not match: ${expression}`);
}

/** The labels of each metric on `/metrics`, by the name that expressions use. */
export function exportedMetrics(text: string): {
  readonly families: ReadonlyMap<string, string>;
  readonly labels: ReadonlyMap<string, ReadonlySet<string>>;
} {
  const families = new Map<string, string>();
  const labels = new Map<string, Set<string>>();
  for (const line of text.split("\n")) {
    const [, family = "", type = ""] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    if (family !== "") families.set(family, type);
    const [, name = "", list = ""] = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    if (name === "") continue;
    const known = labels.get(name) ?? new Set();
    labels.set(name, known);
    for (const [, label = ""] of list.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)) known.add(label);
  }
  return { families, labels };
}
