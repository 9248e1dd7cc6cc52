nonce=$(openssl rand -hex 16)
body=$(curl -sS -X POST https://licenses.example.com/api/v1/validate \
  -H "Authorization: Bearer $COUNTERSIGN_API_KEY" \
  -H "Content-Type: application/json" \
  -H "X-Countersign-Nonce: $nonce" \
  -d "{\"license_key\":\"$LICENSE_KEY\",\"version\":\"1.0.0\"}")
echo "$body"

# The signature is over the answer with null in the signature's place.
sent=${body##*\"t=}; time=${sent%%,*}; claimed=${sent##*v1=}; claimed=${claimed%\"\}}
made=$(printf 'countersign.validate.v1\n%s\n%s\n%s\n%s\n%s' "$time" "$nonce" \
  PRODUCT-ID "$LICENSE_KEY" "${body%\"t=*}null}" |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:${COUNTERSIGN_SIGNING_SECRETS%%,*}" | sed 's/.* //')
[ "$made" = "$claimed" ] && echo "signed by Countersign" || echo "NOT signed by Countersign"
