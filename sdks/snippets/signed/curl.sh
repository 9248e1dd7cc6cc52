nonce=$(openssl rand -hex 16)
body=$(curl -sS -X POST https://license.example.com/api/v1/validate \
  -H "Authorization: Bearer $COUNTERSIGN_API_KEY" \
  -H "Content-Type: application/json" \
  -H "X-Countersign-Nonce: $nonce" \
  -d "{\"license_key\":\"$LICENSE_KEY\",\"version\":\"1.0.0\"}")
echo "$body"

# The signature covers the response with null as its signature.
signature=${body##*\"t=}; time=${signature%%,*}; claimed=${signature##*v1=}; claimed=${claimed%\"\}}
expected=$(printf 'countersign.validate.v1\n%s\n%s\n%s\n%s\n%s' "$time" "$nonce" \
  PRODUCT-ID "$LICENSE_KEY" "${body%\"t=*}null}" |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:${COUNTERSIGN_SIGNING_SECRETS%%,*}" | sed 's/.* //')
[ "$expected" = "$claimed" ] && echo "signed by Countersign" || echo "NOT signed by Countersign"
