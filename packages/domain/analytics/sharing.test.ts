import { expect, test } from "bun:test";
import { hourMs } from "../dates/lengths.ts";
import { impossibleTravel } from "./sharing.ts";

const berlin = { latitude: 52.52, longitude: 13.405 };
const potsdam = { latitude: 52.4, longitude: 13.06 };
const newYork = { latitude: 40.71, longitude: -74.01 };
const suva = { latitude: -18.14, longitude: 178.44 };
const apia = { latitude: -13.83, longitude: -171.77 };

test("distances are those along the surface, also across the date line", () => {
  expect(impossibleTravel(berlin, newYork, hourMs)?.distanceKm).toBeCloseTo(6_390, -1.1);
  expect(impossibleTravel(suva, apia, 0)?.distanceKm).toBeCloseTo(1_200, -2);
  expect(impossibleTravel(berlin, berlin, 0)).toBeNull();
});

test("only a far change of place at more than 1,000 km/h is impossible", () => {
  expect(impossibleTravel(berlin, newYork, hourMs)).toMatchObject({ speedKmh: 6_385 });
  expect(impossibleTravel(newYork, berlin, 7 * hourMs)).toBeNull();
  // Places of IP addresses are inaccurate.
  expect(impossibleTravel(berlin, potsdam, 0)).toBeNull();
  expect(impossibleTravel(berlin, newYork, 0)?.speedKmh).toBeLessThan(400_000);
});
