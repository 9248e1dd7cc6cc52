"""A FastAPI service that requires a license, links to the customer portal, and receives webhooks.

COUNTERSIGN_URL=https://license.example.com COUNTERSIGN_API_KEY=csk_… COUNTERSIGN_WEBHOOK_SECRET=whsec_… \
    uvicorn --app-dir example fastapi_service:app
"""

import os
from typing import Any

from fastapi import Depends, FastAPI, Request
from fastapi.responses import JSONResponse

from countersign import AsyncCountersign, WebhookEvent
from countersign.fastapi import LicenseRefused, RequestLicense, RequireLicense, VerifyWebhook

SOLVED_IN_PORTAL = ("ip_limit_reached", "ip_not_registered", "expired")

client = AsyncCountersign()
licensed = Depends(RequireLicense(client, version="1.0.0"))
delivery = Depends(VerifyWebhook(os.environ["COUNTERSIGN_WEBHOOK_SECRET"]))
app = FastAPI(title="Reports")
processed: set[str] = set()


@app.exception_handler(LicenseRefused)
async def refused(request: Request, error: LicenseRefused) -> JSONResponse:
    refusal = error.refusal
    body = refusal.body
    # The URL contains the license key, so it is only for the caller who sent that key.
    if refusal.code in SOLVED_IN_PORTAL:
        body["portal_url"] = client.portal_url(refusal.license.key)
    return JSONResponse(body, refusal.status, refusal.headers)


@app.get("/reports")
async def reports(license: RequestLicense = licensed) -> dict[str, Any]:
    # Without a verdict, requests are only let in with when_unavailable="advisory".
    status = license.result.status if license.result is not None else "unverified"
    return {"reports": ["January", "February"], "status": status}


@app.get("/")
async def home() -> str:
    return "Send your license key in the X-License-Key header to /reports."


@app.post("/countersign", status_code=204)
async def receive(event: WebhookEvent = delivery) -> None:
    # The same event can be delivered more than once.
    if event.id not in processed and event.type.startswith("license."):
        # A cached license would otherwise stay valid for up to five minutes.
        client.forget()
    processed.add(event.id)
