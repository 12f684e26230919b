import { application } from '@/lib/backend/application'

/** A Lightning node: whose it is, where that is known, and its public key. */
export function NodeName({ publicKeyHex }: { readonly publicKeyHex: string }) {
  const whose = ownerOf(publicKeyHex)
  return (
    <>
      {whose === undefined ? null : <span className="block">{whose}</span>}
      <code>{publicKeyHex}</code>
    </>
  )
}

/** "the node of Northbank", "the node at localhost:3001"; undefined for one that is not in our settings. */
function ownerOf(publicKeyHex: string): string | undefined {
  const { node, settings } = application()
  if (publicKeyHex === node.identity.publicKeyHex) return `the node of ${settings.vaspName}`
  const peer = settings.lightningPeers.find((each) => each.publicKeyHex === publicKeyHex)
  return peer === undefined ? undefined : `the node at ${new URL(peer.origin).host}`
}

/** The same in a sentence, without the whole key. */
export function nodeInWords(publicKeyHex: string): string {
  return ownerOf(publicKeyHex) ?? `the node ${publicKeyHex.slice(0, 12)}…`
}
