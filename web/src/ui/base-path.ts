/** Base path of EchoMind on its host, such as `/echomind` behind a proxy; empty at the root. Set by the server. */
export const BASE_PATH: string = document.querySelector<HTMLMetaElement>('meta[name="base-path"]')?.content ?? "";

/** The URL of a path of the API or of a page, for use outside the router. */
export function addressOf(path: string): string {
  return `${BASE_PATH}${path}`;
}

/** The absolute URL, to share. */
export function fullAddressOf(path: string): string {
  return `${location.origin}${addressOf(path)}`;
}

/** Whether only this machine can open a host's addresses. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
