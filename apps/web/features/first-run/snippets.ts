import { type Platform, platforms } from "../../ui/platforms.ts";
import { snippetFor } from "../../ui/snippets.ts";

interface SnippetFacts {
  /** The URL of this server, without a trailing slash. */
  readonly url: string;
  readonly productId: string;
  readonly apiKey: string;
  readonly licenseKey: string;
}

interface Block {
  /** The file to put it in; null for a terminal. */
  readonly file: string | null;
  readonly text: string;
}

interface FirstCall {
  readonly platform: Platform;
  readonly name: string;
  readonly blocks: readonly Block[];
  readonly needsPackage: boolean;
}

/** Platforms with a program that validates once and exits. */
const askAtOnce = { node: "node app.mjs", python: "python3 app.py", java: null } as const;

/** Ways to validate the first license, complete with keys. */
export function firstCalls(facts: SnippetFacts): readonly FirstCall[] {
  const programs = Object.entries(askAtOnce).map(([key, run]) => program(key as Platform, run, facts));
  return [
    {
      platform: "curl",
      name: platforms.curl,
      blocks: [{ file: null, text: curl(facts) }],
      needsPackage: false,
    },
    ...programs,
  ];
}

/** The SDK's example; the keys are environment variables, as on a server. */
function program(platform: Platform, run: string | null, facts: SnippetFacts): FirstCall {
  const { file, text, install } = snippetFor(platform, {
    server: facts.url,
    productId: facts.productId,
    isSigned: false,
  });
  const isCommand = run !== null;
  const commands = [
    ...(isCommand && install !== null ? [install] : []),
    `export COUNTERSIGN_API_KEY=${quoted(facts.apiKey)}`,
    `export LICENSE_KEY=${quoted(facts.licenseKey)}`,
    ...(isCommand ? [run] : []),
  ];
  return {
    platform,
    name: platforms[platform],
    blocks: [
      { file, text },
      ...(isCommand || install === null ? [] : [{ file: "pom.xml", text: install }]),
      { file: null, text: commands.join("\n") },
    ],
    needsPackage: true,
  };
}

function curl({ url, apiKey, licenseKey }: SnippetFacts): string {
  return `curl ${quoted(`${url}/api/v1/validate`)} \\
  -H ${quoted(`Authorization: Bearer ${apiKey}`)} \\
  -H 'Content-Type: application/json' \\
  -d ${quoted(JSON.stringify({ license_key: licenseKey }))}`;
}

/** For a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
