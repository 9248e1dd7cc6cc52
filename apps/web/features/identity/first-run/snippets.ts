export interface SnippetFacts {
  /** Where this server answers, without a slash at the end. */
  readonly url: string;
  readonly apiKey: string;
  readonly licenseKey: string;
}

export interface Snippet {
  readonly id: string;
  readonly name: string;
  /** The file to put it in; null for a terminal. */
  readonly place: string | null;
  readonly text: string;
}

/** The shortest that works, in each language: nothing to install, nothing to fill in. */
export function snippets(facts: SnippetFacts): readonly Snippet[] {
  return [
    { id: "curl", name: "curl", place: null, text: curl(facts) },
    { id: "node", name: "Node.js", place: "check.mjs", text: node(facts) },
    { id: "python", name: "Python", place: "check.py", text: python(facts) },
    { id: "java", name: "Java", place: "Check.java", text: java(facts) },
  ];
}

function curl({ url, apiKey, licenseKey }: SnippetFacts): string {
  return `curl ${quoted(`${url}/api/v1/validate`)} \\
  -H ${quoted(`Authorization: Bearer ${apiKey}`)} \\
  -H 'Content-Type: application/json' \\
  -d ${quoted(JSON.stringify({ license_key: licenseKey }))}`;
}

function node({ url, apiKey, licenseKey }: SnippetFacts): string {
  return `const response = await fetch(${JSON.stringify(`${url}/api/v1/validate`)}, {
  method: "POST",
  headers: {
    Authorization: ${JSON.stringify(`Bearer ${apiKey}`)},
    "Content-Type": "application/json",
  },
  body: JSON.stringify({ license_key: ${JSON.stringify(licenseKey)} }),
});
const license = await response.json();
console.log(license.valid, license.status);`;
}

function python({ url, apiKey, licenseKey }: SnippetFacts): string {
  return `import json
from urllib.request import Request, urlopen

request = Request(
    ${JSON.stringify(`${url}/api/v1/validate`)},
    data=json.dumps({"license_key": ${JSON.stringify(licenseKey)}}).encode(),
    headers={
        "Authorization": ${JSON.stringify(`Bearer ${apiKey}`)},
        "Content-Type": "application/json",
    },
)
with urlopen(request, timeout=10) as response:
    license = json.load(response)
print(license["valid"], license["status"])`;
}

function java({ url, apiKey, licenseKey }: SnippetFacts): string {
  const body = JSON.stringify(JSON.stringify({ license_key: licenseKey }));
  return `import java.net.URI;
import java.net.http.*;

class Check {
  public static void main(String[] args) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(${JSON.stringify(`${url}/api/v1/validate`)}))
        .header("Authorization", ${JSON.stringify(`Bearer ${apiKey}`)})
        .header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(${body}))
        .build();
    var response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    System.out.println(response.body());
  }
}`;
}

/** For a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
