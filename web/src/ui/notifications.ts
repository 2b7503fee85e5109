/** Notifications of the browser when a run ends or waits while nobody looks. People switch them on, for each browser. */
import { useSyncExternalStore } from "react";

const KEY = "echomind.notifications";
const listeners = new Set<() => void>();

/** Whether the browser supports notifications; it does not over an insecure connection. */
export const CAN_NOTIFY = "Notification" in globalThis;

/** Whether they are on, here and in the browser's settings. */
export function isNotifying(): boolean {
  return CAN_NOTIFY && localStorage.getItem(KEY) === "on" && Notification.permission === "granted";
}

/** Whether they are on, with a setter; the browser asks for permission when they are turned on first. */
export function useNotifications(): [boolean, (isOn: boolean) => Promise<void>] {
  const choose = async (isOn: boolean) => chooseNotifications(isOn && (await Notification.requestPermission()) === "granted");
  return [useSyncExternalStore(subscribe, isNotifying), choose];
}

/** Switches them on or off, now and for later; what the browser itself allows stays. */
export function chooseNotifications(isOn: boolean): void {
  if (isOn) localStorage.setItem(KEY, "on");
  else localStorage.removeItem(KEY);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
