/** A range of the text, and its replacement. */
interface Insertion {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

type Expects = "value" | "name" | "next" | "start" | "end";

interface Position {
  readonly inString: boolean;
  readonly inArray: boolean;
  /** What JSON syntax allows next. */
  readonly expects: Expects;
}

/**
 * Inserts a placeholder into a template between `start` and `end` and keeps the JSON valid: bare inside a string,
 * quoted as a value, and with a name where a member is expected.
 */
export function placeholderInsertion(text: string, start: number, end: number, name: string): Insertion {
  const placeholder = `{{${name}}}`;
  const value = `"${placeholder}"`;
  const at = positionIn(text.slice(0, start));
  if (at.inString) return { from: start, to: end, text: placeholder };
  const member = `"${freeName(text, name)}": ${value}`;
  if (text.trim() === "") return { from: 0, to: text.length, text: `{\n  ${member}\n}` };
  const rest = text.slice(end).trimStart();
  switch (at.expects) {
    case "value":
      // Directly before a string: insert inside it.
      if (start === end && rest.startsWith('"') && !at.inArray) {
        const inside = text.indexOf('"', end) + 1;
        return { from: inside, to: inside, text: placeholder };
      }
      return { from: start, to: end, text: at.inArray && !/^[,\]]/.test(rest) ? `${value}, ` : value };
    case "name":
      return {
        from: start,
        to: end,
        text: rest.startsWith('"') ? `${member},${lineBreak(text, start)}` : member,
      };
    case "next": {
      // Directly after the previous value, so that no line starts with a comma.
      const from = text.slice(0, start).trimEnd().length;
      // An empty line is replaced; a closing brace stays on its line.
      const isEmptyLine = /\n\s*$/.test(text.slice(from, start)) && /^[ \t]*\n/.test(text.slice(end));
      const to = start === end && !isEmptyLine ? from : end;
      const added = at.inArray ? `, ${value}` : `,${lineBreak(text, from)}${member}`;
      return { from, to, text: rest.startsWith('"') ? `${added},${lineBreak(text, from)}` : added };
    }
    case "start": {
      const brace = text.indexOf("{");
      if (brace < 0) return { from: start, to: end, text: value };
      return placeholderInsertion(text, brace + 1, brace + 1, name);
    }
    case "end": {
      const brace = text.lastIndexOf("}");
      return placeholderInsertion(text, brace, brace, name);
    }
  }
}

/** Reads as much JSON as is valid, and returns what is expected next. */
function positionIn(before: string): Position {
  const open: ("{" | "[")[] = [];
  let inString = false;
  let expects: Expects = "start";
  for (let index = 0; index < before.length; index += 1) {
    const character = before.charAt(index);
    if (inString) {
      if (character === "\\") index += 1;
      else if (character === '"') {
        inString = false;
        if (expects !== "name") expects = "next";
      }
    } else if (character === '"') inString = true;
    else if (character === "{" || character === "[") {
      open.push(character);
      expects = character === "{" ? "name" : "value";
    } else if (character === "}" || character === "]") {
      open.pop();
      expects = open.length === 0 ? "end" : "next";
    } else if (character === ":") expects = "value";
    else if (character === ",") expects = open.at(-1) === "{" ? "name" : "value";
    // A number, true, false or null.
    else if (character.trim() !== "" && expects === "value") expects = "next";
  }
  return { inString, inArray: open.at(-1) === "[", expects };
}

/** A line break with the indentation of the current line. */
function lineBreak(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  if (!text.includes("\n")) return " ";
  const indent = /^\s*/.exec(line)?.[0] ?? "";
  return `\n${indent}`;
}

function freeName(text: string, name: string): string {
  const wanted = name.replace(".", "_");
  let free = wanted;
  for (let number = 2; text.includes(`"${free}"`); number += 1) free = `${wanted}_${number}`;
  return free;
}
