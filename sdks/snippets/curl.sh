curl -sS -X POST https://license.example.com/api/v1/validate \
  -H "Authorization: Bearer $COUNTERSIGN_API_KEY" \
  -H "Content-Type: application/json" \
  -d "{\"license_key\":\"$LICENSE_KEY\",\"version\":\"1.0.0\"}"
