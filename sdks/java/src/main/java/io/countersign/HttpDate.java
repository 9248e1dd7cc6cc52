package io.countersign;

import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The three forms of dates in HTTP headers: IMF-fixdate, RFC 850 and asctime. */
final class HttpDate {
  private static final String MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
  private static final Pattern FIXDATE =
      Pattern.compile("[A-Z][a-z]{2}, (\\d{2}) ([A-Z][a-z]{2}) (\\d{4}) (\\d{2}):(\\d{2}):(\\d{2}) GMT");
  private static final Pattern RFC_850 =
      Pattern.compile("[A-Z][a-z]{5,8}, (\\d{2})-([A-Z][a-z]{2})-(\\d{2}) (\\d{2}):(\\d{2}):(\\d{2}) GMT");
  private static final Pattern ASCTIME =
      Pattern.compile("[A-Z][a-z]{2} ([A-Z][a-z]{2}) ([ \\d]\\d) (\\d{2}):(\\d{2}):(\\d{2}) (\\d{4})");

  private HttpDate() {}

  /** Null if the text is none of them. The current time decides the century of a year with two digits. */
  static Long millis(String text, long nowMillis) {
    try {
      Matcher match = FIXDATE.matcher(text);
      if (match.matches()) return millis(number(match, 3), match.group(2), number(match, 1), match, 4);
      match = RFC_850.matcher(text);
      if (match.matches()) return rfc850(match, nowMillis);
      match = ASCTIME.matcher(text);
      return match.matches() ? millis(number(match, 6), match.group(1), number(match, 2), match, 3) : null;
    } catch (DateTimeException noSuchDate) {
      return null;
    }
  }

  /** A year more than 50 years in the future is in the past, as RFC 9110 requires. */
  private static long rfc850(Matcher match, long nowMillis) {
    int thisYear = LocalDateTime.ofEpochSecond(Math.floorDiv(nowMillis, 1_000), 0, ZoneOffset.UTC).getYear();
    int year = thisYear - thisYear % 100 + number(match, 3);
    return millis(year > thisYear + 50 ? year - 100 : year, match.group(2), number(match, 1), match, 4);
  }

  private static long millis(int year, String month, int day, Matcher match, int hourGroup) {
    int index = MONTHS.indexOf(month);
    if (index < 0 || index % 3 != 0) throw new DateTimeException("no such month");
    return LocalDateTime.of(
                year,
                index / 3 + 1,
                day,
                number(match, hourGroup),
                number(match, hourGroup + 1),
                number(match, hourGroup + 2))
            .toEpochSecond(ZoneOffset.UTC)
        * 1_000;
  }

  private static int number(Matcher match, int group) {
    return Integer.parseInt(match.group(group).trim());
  }
}
