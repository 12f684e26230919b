/**
 * True when a state-changing request comes from a page of this origin. `Origin` must be present and equal: `null` (a sandboxed
 * frame) and an absent header are rejected, because every port of localhost shares one cookie jar.
 */
export function isSameOrigin(origin: string | null, publicOrigin: string): boolean {
  return origin === publicOrigin
}
