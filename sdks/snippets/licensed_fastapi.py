import os

from fastapi import Depends, FastAPI

from countersign import AsyncCountersign
from countersign.fastapi import RequireLicense, handle_refusals

client = AsyncCountersign(
    api_key=os.environ["COUNTERSIGN_API_KEY"],
    base_url="https://license.example.com",
)
licensed = RequireLicense(client, version="1.0.0")

app = FastAPI()
handle_refusals(app)


# The key is in the X-License-Key header of each request.
@app.get("/reports", dependencies=[Depends(licensed)])
async def reports() -> str:
    return "Licensed."
