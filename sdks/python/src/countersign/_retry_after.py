from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import datetime, timezone

_MAX_SECONDS = 86_400
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_TIME = r"(?P<hour>\d{2}):(?P<minute>\d{2}):(?P<second>\d{2})"
#: IMF-fixdate, RFC 850 and asctime: the three forms that HTTP allows.
_FORMS = [
    re.compile(rf"[a-z]{{3}}, (?P<day>\d{{2}}) (?P<month>[a-z]{{3}}) (?P<year>\d{{4}}) {_TIME} gmt"),
    re.compile(rf"[a-z]{{6,9}}, (?P<day>\d{{2}})-(?P<month>[a-z]{{3}})-(?P<year>\d{{2}}) {_TIME} gmt"),
    re.compile(rf"[a-z]{{3}} (?P<month>[a-z]{{3}}) (?P<day>[ \d]\d) {_TIME} (?P<year>\d{{4}})"),
]


def retry_after_seconds(headers: Mapping[str, str], now: float) -> int | None:
    """Return the wait of a ``Retry-After`` header, from a second to a day; None if there is none that can be read."""
    text = headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]+", text):
        return limited_wait(float(text))
    until = http_date(text, now)
    if until is None:
        return None
    # The server's own clock, if it says what time it has.
    server_now = http_date(headers.get("date", "").strip(), now)
    return limited_wait(until - (now if server_now is None else server_now))


def limited_wait(seconds: float) -> int:
    return _MAX_SECONDS if seconds > _MAX_SECONDS else max(1, math.ceil(seconds))


def http_date(text: str, now: float) -> float | None:
    """Return the seconds since 1970."""
    for form in _FORMS:
        match = form.fullmatch(text.lower())
        if match is None or match["month"] not in _MONTHS:
            continue
        year = int(match["year"])
        if len(match["year"]) == 2:
            year = _full_year(year, datetime.fromtimestamp(now, timezone.utc).year)
        try:
            time = datetime(
                year,
                _MONTHS.index(match["month"]) + 1,
                int(match["day"]),
                int(match["hour"]),
                int(match["minute"]),
                # A leap second counts as the second before it.
                min(int(match["second"]), 59),
                tzinfo=timezone.utc,
            )
        except ValueError:
            return None
        return time.timestamp()
    return None


def _full_year(two_digits: int, current: int) -> int:
    """Return the year with these last digits that is at most 50 years in the future, as HTTP requires."""
    year = current - current % 100 + two_digits
    return year - 100 if year > current + 50 else year
