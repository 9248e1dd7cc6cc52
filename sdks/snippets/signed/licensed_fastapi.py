import os

from fastapi import Depends, FastAPI

from countersign import AsyncCountersign, Signing
from countersign.fastapi import RequireLicense, handle_refusals

client = AsyncCountersign(
    api_key=os.environ["COUNTERSIGN_API_KEY"],
    base_url="https://license.example.com",
    signing=Signing(
        product_id="PRODUCT-ID",
        secrets=os.environ["COUNTERSIGN_SIGNING_SECRETS"],
    ),
)
licensed = RequireLicense(client, version="1.0.0")

app = FastAPI()
handle_refusals(app)


# The key is in the X-License-Key header of each request.
@app.get("/reports", dependencies=[Depends(licensed)])
async def reports() -> str:
    return "Licensed."
