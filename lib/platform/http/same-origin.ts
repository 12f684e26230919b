/**
 * True when a state-changing request comes from our own pages. `Origin` must be there and equal: `null` (a sandboxed
 * frame) and an absent header are refused, because every port of localhost shares one cookie jar.
 */
export function isSameOrigin(origin: string | null, publicOrigin: string): boolean {
  return origin === publicOrigin
}
