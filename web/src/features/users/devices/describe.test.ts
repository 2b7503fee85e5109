import { expect, test } from "vitest";
import { describeBrowser, placeOf } from "./describe";

test.each([
  ["Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox 140", "Windows"],
  ["Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36", "Chrome 156", "Linux"],
  ["Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/156.0.0.0 Safari/537.36 Edg/156.0.0.0", "Edge 156", "Windows"],
  ["Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 Version/18.1 Mobile/15E148 Safari/604.1", "Safari 18", "iPhone"],
  ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.1 Safari/605.1.15", "Safari 18", "macOS"],
  ["curl/8.0", undefined, undefined],
  ["", undefined, undefined],
])("a browser is called as people call it: %s", (userAgent, browser, system) => {
  expect(describeBrowser(userAgent)).toEqual({ browser, system });
});

test.each([
  ["127.0.0.1", "machine"],
  ["::1", "machine"],
  ["192.168.1.20", "local"],
  ["172.20.0.1", "local"],
  ["172.40.0.1", "internet"],
  ["fd00::1", "local"],
  ["203.0.113.9", "internet"],
])("an address says what kind of place it is: %s", (address, place) => {
  expect(placeOf(address)).toBe(place);
});
