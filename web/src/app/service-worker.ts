/** Registers the service worker, which keeps the parts of pages that were opened for times without a connection. */
import { addressOf } from "@/ui/base-path";

/** Registers it once the page is loaded. Browsers have service workers only in secure contexts: elsewhere nothing is kept. */
export function keepPartsOffline(): void {
  const { serviceWorker } = navigator as Partial<Navigator>;
  if (!import.meta.env.PROD || !serviceWorker) return;
  const register = () => {
    // Without it the app works as before, so a browser that refuses it is no failure of the page.
    keepLoaded(serviceWorker).catch(() => undefined);
  };
  if (document.readyState === "complete") register();
  else addEventListener("load", register);
}

/** Registers it, and names the files to it that this page has loaded before it was there. */
async function keepLoaded(serviceWorker: ServiceWorkerContainer): Promise<void> {
  await serviceWorker.register(addressOf("/sw.js"), { scope: addressOf("/") });
  const { active } = await serviceWorker.ready;
  active?.postMessage({ loaded: performance.getEntriesByType("resource").map(({ name }) => name) });
}
