import type { SandboxNode } from './node'

/** For peers that have not answered yet, and those whose books and ours do not agree. */
const EVERY_MS = 60_000

/** Compares books with the peers now and every minute: after a restore they know more than ours, which has to show at once. */
export function keepMeetingPeers(node: Pick<SandboxNode, 'meetPeers'>): void {
  void node.meetPeers()
  setInterval(() => void node.meetPeers(), EVERY_MS).unref()
}
