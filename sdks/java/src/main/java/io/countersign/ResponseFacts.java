package io.countersign;

/** What is known about a verdict besides its body. Every member can be null. */
final class ResponseFacts {
  static final ResponseFacts NONE = new ResponseFacts(null, null, null, null);

  final String requestId;
  final RateLimit rateLimit;
  final String problem;
  final Long clockSkewSeconds;

  ResponseFacts(String requestId, RateLimit rateLimit, String problem, Long clockSkewSeconds) {
    this.requestId = requestId;
    this.rateLimit = rateLimit;
    this.problem = problem;
    this.clockSkewSeconds = clockSkewSeconds;
  }

  /** The limit changes with every request, so a stored one would mislead. */
  ResponseFacts withoutRateLimit() {
    return rateLimit == null ? this : new ResponseFacts(requestId, null, problem, clockSkewSeconds);
  }
}
