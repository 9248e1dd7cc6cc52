import { type Blanks, lines, type Snippet } from "./snippet.ts";

export function curl({ server, productId, isSigned }: Blanks): Snippet[] {
  return [{ file: "validate.sh", text: isSigned ? signed(server, productId) : plain(server) }];
}

function plain(server: string): string {
  return lines(
    `curl -sS -X POST ${server}/api/v1/validate \\`,
    `  -H "Authorization: Bearer $COUNTERSIGN_API_KEY" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d '{"license_key":"ABCD-EFGH-JKMN-PQRS","version":"1.0.0"}'`,
  );
}

function signed(server: string, productId: string): string {
  return lines(
    "key='ABCD-EFGH-JKMN-PQRS'",
    "nonce=$(openssl rand -hex 16)",
    `body=$(curl -sS -X POST ${server}/api/v1/validate \\`,
    `  -H "Authorization: Bearer $COUNTERSIGN_API_KEY" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -H "X-Countersign-Nonce: $nonce" \\`,
    `  -d "{\\"license_key\\":\\"$key\\",\\"version\\":\\"1.0.0\\"}")`,
    `echo "$body"`,
    "",
    `# The signature is over the answer with null in the signature's place.`,
    `sent=\${body##*\\"t=}; time=\${sent%%,*}; claimed=\${sent##*v1=}; claimed=\${claimed%\\"\\}}`,
    `made=$(printf 'countersign.validate.v1\\n%s\\n%s\\n%s\\n%s\\n%s' "$time" "$nonce" \\`,
    `  ${productId} "$key" "\${body%\\"t=*}null}" |`,
    `  openssl dgst -sha256 -mac HMAC -macopt "hexkey:\${COUNTERSIGN_SIGNING_SECRETS%%,*}" | sed 's/.* //')`,
    `[ "$made" = "$claimed" ] && echo "signed by Countersign" || echo "NOT signed by Countersign"`,
  );
}
