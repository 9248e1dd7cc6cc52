import os

from countersign import Countersign, Signing

countersign = Countersign(
    api_key=os.environ["COUNTERSIGN_API_KEY"],
    base_url="https://license.example.com",
    signing=Signing(
        product_id="PRODUCT-ID",
        secrets=os.environ["COUNTERSIGN_SIGNING_SECRETS"],
    ),
)

result = countersign.validate(os.environ["LICENSE_KEY"], version="1.0.0")
if result.valid:
    print("Licensed.")
else:
    print(f"Not licensed: {result.status}")
