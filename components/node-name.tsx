import { nodeOwner } from '@/lib/web/words'

/** A Lightning node: its owner, where known, and its public key. */
export function NodeName({ publicKeyHex }: { readonly publicKeyHex: string }) {
  const owner = nodeOwner(publicKeyHex)
  return (
    <>
      {owner === undefined ? null : <span className="block">{owner}</span>}
      <code>{publicKeyHex}</code>
    </>
  )
}
