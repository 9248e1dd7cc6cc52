import os

from django.http import HttpResponse

from countersign.django import LicensedRequest, require_license

# settings.py
COUNTERSIGN = {
    "API_KEY": os.environ["COUNTERSIGN_API_KEY"],
    "BASE_URL": "https://license.example.com",
    "VERSION": "1.0.0",
}


# views.py: the key is in the X-License-Key header of each request.
@require_license
def reports(request: LicensedRequest) -> HttpResponse:
    return HttpResponse("Licensed.")
