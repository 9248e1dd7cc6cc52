import { type Blanks, lines, type Snippet } from "./snippet.ts";

export function python({ server, productId, isSigned }: Blanks): Snippet[] {
  return [
    {
      file: "countersign.py",
      text: lines(
        isSigned
          ? "import hashlib, hmac, json, os, re, secrets, time, urllib.request"
          : "import json, os, urllib.request",
        "",
        "",
        "def validate(license_key, version=None):",
        isSigned && "    nonce = secrets.token_urlsafe(16)",
        "    request = urllib.request.Request(",
        `        "${server}/api/v1/validate",`,
        `        json.dumps({"license_key": license_key, "version": version}).encode(),`,
        "        {",
        `            "Authorization": "Bearer " + os.environ["COUNTERSIGN_API_KEY"],`,
        `            "Content-Type": "application/json",`,
        isSigned && `            "X-Countersign-Nonce": nonce,`,
        "        },",
        "    )",
        "    with urllib.request.urlopen(request, timeout=10) as response:",
        "        body = response.read().decode()",
        isSigned && "    if not is_signed(body, nonce, license_key):",
        isSigned && `        raise ValueError("Not signed by Countersign.")`,
        "    return json.loads(body)",
        isSigned && pythonCheck(productId),
        "",
        "",
        `if __name__ == "__main__":`,
        `    answer = validate("ABCD-EFGH-JKMN-PQRS", "1.0.0")`,
        `    print(answer["valid"], answer["status"])`,
      ),
    },
  ];
}

function pythonCheck(productId: string): string {
  return lines(
    "",
    "",
    "def is_signed(body, nonce, license_key):",
    String.raw`    match = re.search(r'"signature":"t=(\d+),n=([\w-]*),k=[\w-]+,v1=([0-9a-f]{64})"\}\Z', body, re.A)`,
    "    if match is None or match[2] != nonce or abs(time.time() - int(match[1])) > 300:",
    "        return False",
    "    # The signature is over the answer with null in the signature's place.",
    `    unsigned = body[: match.start()] + '"signature":null}'`,
    String.raw`    text = "\n".join(["countersign.validate.v1", match[1], nonce,`,
    `                      "${productId}", license_key, unsigned])`,
    "    return any(",
    "        hmac.compare_digest(",
    "            hmac.new(bytes.fromhex(secret), text.encode(), hashlib.sha256).hexdigest(), match[3])",
    `        for secret in os.environ["COUNTERSIGN_SIGNING_SECRETS"].split(",")`,
    "    )",
  );
}
