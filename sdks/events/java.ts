import { camelCase, type Events, type Member, type ObjectShape, type Value } from "./shapes.ts";

/** The files of `sdks/java/src/main/java/io/countersign/events`, by name. */
export function javaFiles({ events, objects }: Events): Readonly<Record<string, string>> {
  const dataNames = new Set(events.map(({ data }) => data));
  const byName = new Map(objects.map((one) => [one.name, one]));
  const files = [
    ...objects.filter(({ name }) => !dataNames.has(name)).map((one) => [one.name, objectClass(one)]),
    ...events.map((event) => {
      const data = byName.get(event.data);
      if (data === undefined) throw new Error(`The event ${event.type} has no data.`);
      return [event.name, eventClass(event, data)];
    }),
    ["package-info", packageInfo],
  ];
  return Object.fromEntries(files.map(([name, text]) => [`${name}.java`, text]));
}

const header =
  "// Generated from the contract by sdks/events. Do not edit.\npackage io.countersign.events;\n";

const packageInfo = `/** The events that webhooks deliver, one class per type: {@code LicenseRevoked.from(event)}. */\n// Generated from the contract by sdks/events. Do not edit.\npackage io.countersign.events;\n`;

function eventClass(event: Events["events"][number], { members }: ObjectShape): string {
  return `${header}
${imports(members, ["io.countersign.WebhookEvent", "java.util.Optional"])}
/** ${event.summary}: {@code ${event.type}}. */
public final class ${event.name} {
  /** The type of these events. */
  public static final String TYPE = "${event.type}";

  private final EventMembers members;

  private ${event.name}(EventMembers members) {
    this.members = members;
  }

  /** Empty if the event is of another type. */
  public static Optional<${event.name}> from(WebhookEvent event) {
    return event.type().equals(TYPE)
        ? Optional.of(new ${event.name}(new EventMembers(event.data())))
        : Optional.empty();
  }
${members.map(accessor).join("")}
  @Override
  public String toString() {
    return "${event.name}" + members.ids();
  }
}
`;
}

function objectClass({ name, members }: ObjectShape): string {
  return `${header}
${imports(members, [])}
/** Part of an event. */
public final class ${name} {
  private final EventMembers members;

  ${name}(EventMembers members) {
    this.members = members;
  }
${members.map(accessor).join("")}
  @Override
  public String toString() {
    return "${name}" + members.ids();
  }
}
`;
}

function imports(members: readonly Member[], always: readonly string[]): string {
  const used = new Set(always);
  for (const { value, isOptional } of members) {
    if (isOptional || value.isNullable) used.add("java.util.Optional");
    if (value.kind.is === "time") used.add("java.time.Instant");
    if (value.kind.is === "list") used.add("java.util.List");
    if (value.kind.is === "JSON object") used.add("java.util.Map");
  }
  return [...used]
    .sort()
    .map((name) => `import ${name};\n`)
    .join("");
}

/** Members that are always null, or only present as a mark, have simpler accessors. */
function accessor({ name, value, isOptional, description }: Member): string {
  if (value.kind.is === "null") return "";
  const isMark = isOptional && value.kind.is === "one of" && value.kind.values.every((one) => one === true);
  const canBeAbsent = !isMark && (isOptional || value.isNullable);
  const type = canBeAbsent ? `Optional<${boxed(value.kind)}>` : unboxed(value.kind);
  // An accessor returns an empty Optional where the wire format has null.
  const comment = javadoc(description?.replace(/\bNull\b/g, "Empty") ?? `The member {@code ${name}}.`);
  return `\n${comment}  public ${type} ${methodName(name)}() {\n    return ${read(name, value.kind, canBeAbsent)};\n  }\n`;
}

function javadoc(text: string): string {
  const words = text
    .replace(/`([^`]+)`/g, "{@code $1}")
    .replaceAll("&", "&amp;")
    .split(" ");
  const oneLine = `  /** ${words.join(" ")} */\n`;
  if (oneLine.length <= 121) return oneLine;
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < 112) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return `  /**\n${lines.map((line) => `   * ${line}\n`).join("")}   */\n`;
}

function read(name: string, kind: Value["kind"], canBeAbsent: boolean): string {
  const found = `members.${readerOf(kind)}("${name}"${kind.is === "object" ? `, ${kind.name}::new` : ""})`;
  return canBeAbsent ? found : `${found}.${fallback(kind)}`;
}

function readerOf(kind: Value["kind"]): string {
  switch (kind.is) {
    case "text":
      return "text";
    case "time":
      return "time";
    case "whole number":
      return "wholeNumber";
    case "boolean":
      return "bool";
    case "JSON object":
      return "map";
    case "one of":
      return kind.values.every((value) => typeof value === "string") ? "text" : "bool";
    case "list":
      if (kind.of.kind.is !== "text") throw new Error("Lists of anything but text are not supported.");
      return "texts";
    case "object":
      return "object";
    default:
      throw new Error(`Members of the kind ${kind.is} are not supported.`);
  }
}

/** An event lacks none of its required members; a damaged one must not cause a NullPointerException later. */
function fallback(kind: Value["kind"]): string {
  switch (readerOf(kind)) {
    case "text":
      return 'orElse("")';
    case "time":
      return "orElse(Instant.EPOCH)";
    case "wholeNumber":
      return "orElse(0L)";
    case "bool":
      return "orElse(false)";
    case "map":
      return "orElse(Map.of())";
    case "texts":
      return "orElse(List.of())";
    default:
      return `orElseGet(() -> new ${kind.is === "object" ? kind.name : "Object"}(EventMembers.NONE))`;
  }
}

function unboxed(kind: Value["kind"]): string {
  const type = boxed(kind);
  return type === "Long" ? "long" : type === "Boolean" ? "boolean" : type;
}

function boxed(kind: Value["kind"]): string {
  const types: Readonly<Record<string, string>> = {
    text: "String",
    time: "Instant",
    wholeNumber: "Long",
    bool: "Boolean",
    map: "Map<String, Object>",
    texts: "List<String>",
  };
  return types[readerOf(kind)] ?? (kind.is === "object" ? kind.name : "Object");
}

function methodName(name: string): string {
  const method = camelCase(name);
  return reserved.has(method) ? `${method}Holder` : method;
}

/** `to` is no keyword, but belongs with `from`, which other classes here use for something else. */
const reserved = new Set(["from", "to"]);
