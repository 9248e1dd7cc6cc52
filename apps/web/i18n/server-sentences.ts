import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseAst } from "vite";

const root = join(import.meta.dir, "../../..");

export interface Said {
  readonly file: string;
  /** With `{{0}}`, `{{1}}` … where the server puts in what it knows only then. */
  readonly sentence: string;
}

/**
 * Every sentence with which the server can refuse something or say why something failed, read from its sources: from
 * wherever one is said, back through names, choices and functions to what is written in quotes.
 */
export function serverSentences(): Said[] {
  const modules = ["apps/server", "packages/contract", "packages/domain"].flatMap((folder) =>
    sources(join(root, folder)).map(read),
  );
  const named = new Map<string, Declared[]>();
  for (const { file, tree } of modules)
    walk(tree, (node) => {
      for (const [name, value] of declarations(node))
        named.set(name, [...(named.get(name) ?? []), { file, value }]);
    });
  const found = modules.flatMap(({ file, tree }) => {
    const handsOn = whatHandsOn(tree, file);
    const said: Said[] = [];
    walk(tree, (node) => {
      for (const words of [...wordsOf(node, file), ...handedOver(node, handsOn)])
        for (const text of new Reader(named, file).texts(words))
          said.push({ file, sentence: numbered(text) });
    });
    return said;
  });
  found.push(...mailLibrary().map((sentence) => ({ file: mailLibraryFile, sentence })));
  // A gap from end to end is a sentence that was written elsewhere, and is found there.
  const whole = found.filter(({ sentence }) =>
    /[a-z]{2}.* |[a-z] .*[a-z]/i.test(sentence.replace(/\{\{\d\}\}/g, "")),
  );
  return [...new Map(whole.map((said) => [said.sentence.replace(/\.$/, ""), said])).values()];
}

/** The argument that holds the words, by what is called with it. */
const calls: Readonly<Record<string, number>> = {
  invalid: 1,
  add: 1,
  wrong: 1,
  refuse: 1,
  conflict: 0,
  notFound: -1,
  Problem: 1,
  Wrong: 0,
  FileProblem: 0,
  APIError: 1,
  Unreachable: 0,
  secret: 1,
};

/** Where `problem` is what people read: of a license's key, a row of a file, an endpoint's address, an attempt. */
const problems = /license-files|licenses\/key|features\/webhooks|domain\/webhooks\/url/;

/** What programs and operators are told, not the dashboard's people. */
const elsewhere =
  /^apps\/server\/(cli|features\/doctor|http\/answers|features\/webhooks\/replay-one)|event-examples/;

/** The rules of the contract say what they want as their last argument. */
const rules =
  /^(min|max|length|regex|refine|superRefine|datetime|email|url|enum|union|number|string|int|custom)$/;

/** What in a piece of the program are the words of a refusal. */
function wordsOf(node: Node, file: string): Node[] {
  if (node.type === "Property" && isNamed(node.key, "message") && !elsewhere.test(file)) return [node.value];
  if (node.type === "Property" && isNamed(node.key, "problem") && problems.test(file)) return [node.value];
  if (node.type === "Property" && isNamed(node.key, "error") && isNamed(node.value, "wording"))
    return [node.value];
  if (node.type !== "CallExpression" && node.type !== "NewExpression") return [];
  const callee = node.callee;
  const name: string = callee.name ?? callee.property?.name ?? "";
  const last = node.arguments.at(-1);
  // An import that is taken back, and a letter that takes too long: their errors are kept as they are thrown.
  if (callee.type === "Super" && /license-files/.test(file)) return [node.arguments[0]];
  if (name === "Error" && file.endsWith("mail/mailer.ts")) return [node.arguments[0]];
  if (file.startsWith("packages/contract") && rules.test(name) && last !== undefined)
    return last.type === "ObjectExpression"
      ? membersOf(last, /^(error|message)$/)
      : isText(last)
        ? [last]
        : [];
  if (name === "addIssue") return last === undefined ? [] : membersOf(last, /^message$/);
  const place = calls[name];
  if (place === undefined) return [];
  if (place < 0) return [node];
  // A set and a map have an `add` too, with one argument.
  const words = node.arguments[place];
  if (words === undefined) return [];
  return [...(words.type === "ObjectExpression" ? membersOf(words, /^message$/) : [words])];
}

/** Functions that are given the words of a refusal and hand them on, with the place of the words among what they take. */
function whatHandsOn(tree: Node, file: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  walk(tree, (node) => {
    if (node.type !== "FunctionDeclaration") return;
    const names: string[] = node.params.map((param: Node) => param.name ?? "");
    walk(node.body, (inner) => {
      for (const { type, name } of wordsOf(inner, file))
        if (type === "Identifier" && names.includes(name)) found.set(node.id.name, names.indexOf(name));
    });
  });
  return found;
}

function handedOver(node: Node, handsOn: ReadonlyMap<string, number>): Node[] {
  const place = node.type === "CallExpression" ? handsOn.get(node.callee.name) : undefined;
  const words = place === undefined ? undefined : node.arguments[place];
  return words === undefined ? [] : [words];
}

const mailLibraryFile = "node_modules/nodemailer/dist/esm/smtp-connection/index.js";

/**
 * What an operator is likely to meet of what the mail library says, where the mail server's own words follow or there
 * are none. The rest of it, and what the system says, is shown as it came.
 */
function mailLibrary(): string[] {
  const source = readFileSync(join(root, mailLibraryFile), "utf8");
  const withAnswer = [
    "Invalid login",
    "Can't send mail - all recipients were rejected",
    "Recipient command failed",
    "Mail command failed",
    "Data command failed",
    "Message failed",
    "Error upgrading connection with STARTTLS",
  ];
  const alone = [
    "Connection timeout",
    "Connection closed unexpectedly",
    "Greeting never received",
    "TLS handshake timed out",
  ];
  return [...withAnswer.map((words) => `${words}: {{0}}`), ...alone].filter((sentence) =>
    // After an update it may say something else, and the translations left over are found.
    source.includes(sentence.replace(/: \{\{0\}\}$/, "")),
  );
}

/** Follows words back to where they are written. */
class Reader {
  readonly #named: ReadonlyMap<string, Declared[]>;
  readonly #file: string;
  readonly #depth: number;

  constructor(named: ReadonlyMap<string, Declared[]>, file: string, depth = 0) {
    this.#named = named;
    this.#file = file;
    this.#depth = depth;
  }

  /** All that an expression can come to, with a gap for what is not known before. */
  texts(node: Node): string[] {
    if (this.#depth > 12) return [gap];
    switch (node.type) {
      case "Literal":
        return [typeof node.value === "string" ? node.value : gap];
      case "TemplateLiteral":
        return joined(
          node.quasis.flatMap((part: Node, index: number) => [
            [part.value.cooked as string],
            ...(index < node.expressions.length ? [this.#deeper().texts(node.expressions[index])] : []),
          ]),
        );
      case "BinaryExpression":
        return node.operator === "+" ? joined([this.texts(node.left), this.texts(node.right)]) : [gap];
      case "ConditionalExpression":
        return [...this.texts(node.consequent), ...this.texts(node.alternate)];
      case "LogicalExpression":
        return [...this.texts(node.left), ...this.texts(node.right)];
      case "AwaitExpression":
        return this.texts(node.argument);
      case "TSAsExpression":
      case "TSNonNullExpression":
      case "TSSatisfiesExpression":
      case "ParenthesizedExpression":
        return this.texts(node.expression);
      case "ObjectExpression":
        return node.properties.flatMap((member: Node) => (member.value ? this.texts(member.value) : []));
      case "ArrayExpression":
        return node.elements.flatMap((element: Node) => this.texts(element));
      case "ArrowFunctionExpression":
      case "FunctionDeclaration":
      case "FunctionExpression":
        return this.#returned(node);
      case "Identifier":
        return this.#byName(node.name);
      case "CallExpression":
        if (isNamed(node.callee, "notFound"))
          return this.texts(node.arguments[0] ?? { type: "Literal", value: "resource" }).map(
            (what) => `There is no such ${what}, or you cannot see it.`,
          );
        return node.callee.type === "Identifier" ? this.#byName(node.callee.name) : [gap];
      case "MemberExpression":
        return node.computed && node.object.type === "Identifier" ? this.#byName(node.object.name) : [gap];
      default:
        return [gap];
    }
  }

  #returned(node: Node): string[] {
    if (node.body.type !== "BlockStatement") return this.texts(node.body);
    const texts: string[] = [];
    walk(node.body, (inner) => {
      if (inner.type === "ReturnStatement" && inner.argument)
        texts.push(...this.#deeper().texts(inner.argument));
    });
    return texts.length === 0 ? [gap] : texts;
  }

  /** What a name stands for in this file: what is declared here, or in the file it is imported from. */
  #byName(name: string): string[] {
    const all = this.#named.get(name) ?? [];
    const here = all.filter(({ file }) => file === this.#file);
    const isImported = here.some(({ value }) => value.type === "ImportSpecifier");
    const meant = isImported ? all.filter(({ value }) => value.type !== "ImportSpecifier") : here;
    const texts = meant.flatMap(({ file, value }) =>
      new Reader(this.#named, file, this.#depth + 1).texts(value),
    );
    return texts.length === 0 ? [gap] : [...new Set(texts)];
  }

  #deeper(): Reader {
    return new Reader(this.#named, this.#file, this.#depth + 1);
  }
}

const gap = "\0";

function joined(parts: string[][]): string[] {
  return parts.reduce<string[]>(
    (all, part) => all.flatMap((before) => part.map((text) => before + text)),
    [""],
  );
}

function numbered(text: string): string {
  let gaps = 0;
  // What is wrong with a key is said of the key there, and of the field here.
  return text.replace(/^A license key (?=can)/, "").replaceAll(gap, () => `{{${gaps++}}}`);
}

function declarations(node: Node): [string, Node][] {
  if (node.type === "FunctionDeclaration" && node.id) return [[node.id.name, node]];
  if (node.type === "ImportSpecifier") return [[node.local.name, node]];
  if (node.type === "VariableDeclarator" && node.init && node.id.type === "Identifier")
    return [[node.id.name, node.init]];
  return [];
}

function membersOf(node: Node, names: RegExp): Node[] {
  if (node.type !== "ObjectExpression") return [];
  return node.properties
    .filter((member: Node) => names.test(member.key?.name ?? ""))
    .map((member: Node) => member.value);
}

function isNamed(node: Node, name: string): boolean {
  return node?.name === name;
}

function isText(node: Node): boolean {
  return (
    node.type === "TemplateLiteral" ||
    (node.type === "Literal" && typeof node.value === "string") ||
    node.type === "Identifier"
  );
}

function walk(node: Node, visit: (node: Node) => void): void {
  if (typeof node?.type === "string") visit(node);
  for (const value of Object.values(node ?? {}))
    for (const child of Array.isArray(value) ? value : [value])
      if (typeof child === "object" && child !== null && "type" in child) walk(child as Node, visit);
}

function read(path: string): { file: string; tree: Node } {
  return { file: relative(root, path), tree: parseAst(readFileSync(path, "utf8"), { lang: "ts" }) };
}

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === "node_modules") return [];
    if (entry.isDirectory()) return sources(join(folder, entry.name));
    return entry.name.endsWith(".ts") && !entry.name.endsWith(".test.ts") ? [join(folder, entry.name)] : [];
  });
}

interface Declared {
  readonly file: string;
  readonly value: Node;
}

// biome-ignore lint/suspicious/noExplicitAny: a tree of many kinds of node, of which a dozen are looked at.
type Node = any;
