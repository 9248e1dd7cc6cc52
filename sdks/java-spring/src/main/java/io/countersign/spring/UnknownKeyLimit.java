package io.countersign.spring;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Limits the requests that a caller can cause with unknown keys, so that made-up keys do not use up the product's daily
 * limit. Every caller has some tokens per minute. Each call takes one, and gets it back unless the key is unknown: so any
 * number of customers behind one IP address are served, though not all at once.
 */
final class UnknownKeyLimit {
  private static final int MAX_CALLERS = 10_000;
  private static final double MINUTE_NANOS = 60e9;

  /** A token, or how long the caller has to wait for one. */
  static final class Permit {
    private final Caller caller;
    private final Duration limitedFor;

    private Permit(Caller caller, Duration limitedFor) {
      this.caller = caller;
      this.limitedFor = limitedFor;
    }

    Optional<Duration> limitedFor() {
      return Optional.ofNullable(limitedFor);
    }
  }

  private static final class Caller {
    private final String address;
    /** Tokens that can be taken now. Fractions are on their way. */
    private double free;
    private long updatedNanos;
    private int callsInFlight;
    /** The threads that wait for a token, in order. */
    private final Deque<Object> waiting = new ArrayDeque<>();

    private Caller(String address, double free, long updatedNanos) {
      this.address = address;
      this.free = free;
      this.updatedNanos = updatedNanos;
    }
  }

  private final int perMinute;
  private final Duration maxWait;
  private final LongSupplier nanos;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  /** Least recently used first. */
  private final Map<String, Caller> callers = new LinkedHashMap<>(16, 0.75f, true);

  UnknownKeyLimit(int perMinute, Duration maxWait, LongSupplier nanos) {
    this.perMinute = perMinute;
    this.maxWait = maxWait;
    this.nanos = nanos;
  }

  /** Takes a token. While calls of the same caller are in flight and none is free, it waits for theirs. */
  Permit acquire(String address) {
    lock.lock();
    try {
      Caller caller = callerAt(address);
      addTokens(caller);
      if (caller.waiting.isEmpty() && caller.free >= 1) return start(caller);
      if (caller.callsInFlight > 0 && waitForToken(caller)) return start(caller);
      return new Permit(null, untilFree(caller));
    } finally {
      lock.unlock();
    }
  }

  /** Ends a call. The token is given back, unless it was spent on an unknown key. */
  void finish(Permit permit, boolean isSpent) {
    Caller caller = permit.caller;
    if (caller == null) return;
    lock.lock();
    try {
      caller.callsInFlight--;
      addTokens(caller);
      if (!isSpent) caller.free = Math.min(perMinute, caller.free + 1);
      // A caller without unknown keys needs no memory.
      boolean isIdle = caller.callsInFlight == 0 && caller.free >= perMinute && caller.waiting.isEmpty();
      if (isIdle) callers.remove(caller.address, caller);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  int callerCount() {
    lock.lock();
    try {
      return callers.size();
    } finally {
      lock.unlock();
    }
  }

  int waitingCount() {
    lock.lock();
    try {
      return callers.values().stream().mapToInt(caller -> caller.waiting.size()).sum();
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether it is this thread's turn and a token is free. */
  private boolean waitForToken(Caller caller) {
    Object turn = new Object();
    caller.waiting.add(turn);
    try {
      long remaining = maxWait.toNanos();
      while (true) {
        boolean isFirst = caller.waiting.peek() == turn;
        if (isFirst && caller.free >= 1) return true;
        if (remaining <= 0 || caller.callsInFlight == 0 && caller.free < 1) return false;
        remaining = changed.awaitNanos(remaining);
        addTokens(caller);
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return false;
    } finally {
      caller.waiting.remove(turn);
      // The next one in line may have a token as well.
      changed.signalAll();
    }
  }

  private Permit start(Caller caller) {
    caller.free--;
    caller.callsInFlight++;
    return new Permit(caller, null);
  }

  private Caller callerAt(String address) {
    Caller caller = callers.computeIfAbsent(address, one -> new Caller(one, perMinute, nanos.getAsLong()));
    if (callers.size() > MAX_CALLERS) {
      Iterator<Caller> leastRecent = callers.values().iterator();
      leastRecent.next();
      leastRecent.remove();
    }
    return caller;
  }

  private void addTokens(Caller caller) {
    long now = nanos.getAsLong();
    caller.free = Math.min(perMinute, caller.free + (now - caller.updatedNanos) * perMinute / MINUTE_NANOS);
    caller.updatedNanos = now;
  }

  private Duration untilFree(Caller caller) {
    return Duration.ofSeconds(Math.max(1, (long) Math.ceil((1 - caller.free) * 60 / perMinute)));
  }
}
