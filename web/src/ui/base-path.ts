/** Base path of EchoMind on its host, such as `/echomind` behind a proxy; empty at the root. Set by the server. */
export const BASE_PATH: string = document.querySelector<HTMLMetaElement>('meta[name="base-path"]')?.content ?? "";

/** The address of a path of the API or of a page, for what does not go through the router. */
export function addressOf(path: string): string {
  return `${BASE_PATH}${path}`;
}

/** The same with scheme and host, to send to somebody. */
export function fullAddressOf(path: string): string {
  return `${location.origin}${addressOf(path)}`;
}
