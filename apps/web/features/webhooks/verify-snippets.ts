import guide from "../../../../docs/guides/webhooks.md?raw";

/** The programs in the guide, which the tests run against the server. */
export const snippets = [
  { language: "Node.js", code: programIn("js") },
  { language: "Python", code: programIn("python") },
  { language: "Java", code: programIn("java") },
] as const;

function programIn(fence: string): string {
  return new RegExp(`^\`\`\`${fence}\\n([^]*?)^\`\`\``, "m").exec(guide)?.[1]?.trimEnd() ?? "";
}
