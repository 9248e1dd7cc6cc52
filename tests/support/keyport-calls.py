"""Makes the calls in the JSON array on standard input with KeyPort's client.

Prints what each returned or raised, and the statuses and members of responses that the client's types know.
"""

import json
import sys
import tempfile
from typing import get_args

from keyport import KeyPort, KeyPortError
from keyport.types import LicenseDetailResponse, LicenseStatus, ValidateResponse


def client_of(call):
    if not call.get("config_file"):
        return KeyPort(call["api_key"], base_url=call["base_url"])
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"api_key": call["api_key"], "base_url": call["base_url"]}, file)
        file.flush()
        return KeyPort.from_config_file(file.name)


def outcome_of(call):
    try:
        with client_of(call) as client:
            return {"returned": getattr(client, call["method"])(*call["arguments"])}
    except KeyPortError as error:
        fields = {name: getattr(error, name, None) for name in ("status", "code", "retry_after")}
        return {"raised": type(error).__name__, "message": str(error), **fields}


known = {
    "statuses": get_args(LicenseStatus),
    "validate": list(ValidateResponse.__annotations__),
    "lookup": list(LicenseDetailResponse.__annotations__),
}
outcomes = [outcome_of(call) for call in json.load(sys.stdin)]
json.dump({"known": known, "outcomes": outcomes}, sys.stdout)
