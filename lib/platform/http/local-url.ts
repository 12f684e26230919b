/**
 * The whole URL of a page of this origin that a browser may be sent back to; the home page for any other URL. Never a
 * path alone, because a path that begins with two slashes names another host.
 */
export function localUrl(url: string, publicOrigin: string): string {
  const target = URL.canParse(url, publicOrigin) ? new URL(url, publicOrigin) : undefined
  // `origin` is not compared: a blob: URL and a URL with user info also have this origin.
  return target?.href.startsWith(`${publicOrigin}/`) === true ? target.href : publicOrigin
}
