/**
 * Where a browser may be sent back to: a page of this origin, as a whole URL; anything else leads home. Never as a path
 * alone, because a path that begins with two slashes names another host.
 */
export function ownPath(url: string, publicOrigin: string): string {
  const target = URL.canParse(url, publicOrigin) ? new URL(url, publicOrigin) : undefined
  // Not by `origin`: a blob: URL and one with user info have ours too.
  return target?.href.startsWith(`${publicOrigin}/`) === true ? target.href : publicOrigin
}
