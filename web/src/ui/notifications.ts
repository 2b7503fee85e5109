/** Browser notifications when a run ends or waits while the page is hidden. They are enabled for each browser. */
import { useSyncExternalStore } from "react";

const KEY = "echomind.notifications";
const listeners = new Set<() => void>();

/** Whether the browser supports notifications; it does not over an insecure connection. */
export const CAN_NOTIFY = "Notification" in globalThis;

/** Whether they are on, here and in the browser's settings. */
export function isNotifying(): boolean {
  return CAN_NOTIFY && localStorage.getItem(KEY) === "on" && Notification.permission === "granted";
}

/** Whether they are enabled, with a setter; the browser asks for permission the first time. */
export function useNotifications(): [boolean, (isOn: boolean) => Promise<void>] {
  const choose = async (isOn: boolean) => chooseNotifications(isOn && (await Notification.requestPermission()) === "granted");
  return [useSyncExternalStore(subscribe, isNotifying), choose];
}

/** Enables or disables them permanently; the browser's permission is not changed. */
export function chooseNotifications(isOn: boolean): void {
  if (isOn) localStorage.setItem(KEY, "on");
  else localStorage.removeItem(KEY);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
