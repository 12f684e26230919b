import { makeVisitor } from '../../sandbox/pairing/visitor'
import { signIn } from '../../sandbox/shared/fetch-token'
import { userOf, type Stack } from '../stack/stack'

/** Creates a manual connection at the gateway of a stack, through the pages that the user would use; its pairing URI. */
export async function pairByHand(
  stack: Pick<Stack, 'vaspOrigin' | 'gatewayOrigin'>,
  username: string,
): Promise<string> {
  const visitor = makeVisitor()
  visitor.keep(stack.vaspOrigin, await signIn(userOf(stack, username)))
  const page = `${stack.gatewayOrigin}/connection/new`
  await visitor.get(page)
  const form = new URLSearchParams({ name: 'Paired by hand', decision: 'connect', life: 'none', group: 'read_balance' })
  const { status, text } = await visitor.post(page, form)
  const uri = /nostr\+walletconnect:[^<\s]+/.exec(text)?.[0]
  if (uri === undefined) throw new Error(`the gateway answered ${status} without a pairing URI`)
  return uri.replaceAll('&amp;', '&')
}
