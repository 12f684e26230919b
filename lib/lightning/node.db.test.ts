import { NO_EVENTS } from '@/lib/events/recorder'
import { createInvoice } from '@/lib/invoices/service'
import { readWallets } from '@/lib/ledger/accounts'
import { snapshotOf } from '@/lib/ledger/rate-snapshot'
import { rateOf } from '@/lib/money/currencies'
import { payInvoice } from '@/lib/payments/pay-invoice'
import { describeOnBothEngines, describeOnTwoDatabases } from '@/test/databases/databases'
import { describeLightningNode } from '@/test/lightning/lightning-node-suite'
import type { Journey, NodeUnderTest } from '@/test/lightning/node-under-test'
import { describeRemoteNode } from '@/test/lightning/remote-node-suite'
import { makePair, mend, paymentOf, signedAnswer, USER_RECORD } from '@/test/lightning/sandbox-nodes'
import { makeLndWorld } from '@/test/lnd-like/world'
import { newUser } from '@/test/vasp/money'
import type { LightningNode } from './node'

describeOnTwoDatabases('The rules of a Lightning node', (payerDb, payeeDb) => {
  describeLightningNode('hold for the simulated node', async () => {
    const pair = await makePair({ payerDb: payerDb(), payeeDb: payeeDb() })
    const { vasp, user } = pair
    const [wallet] = await readWallets(payeeDb(), user)
    if (wallet === undefined) throw new Error('the user has no wallet')
    const held: (() => void)[] = []
    let sender: LightningNode = pair.payer
    const settler = await newUser(vasp, { SAT: 1_000_000n })
    const refused = JSON.stringify({ state: 'refused', failure: 'unknown' })
    const journeys: Readonly<Record<Journey, () => void>> = {
      arrives: () => mend(pair),
      'is refused': () => void (pair.wire = (url, init) => signedAnswer(pair, new Request(url, init), refused)),
      'fails without an answer': () => void (pair.wire = () => Promise.reject(new Error('the call is lost'))),
      'loses its answer'() {
        pair.wire = async (url, init) => {
          await pair.payee.answer(new Request(url, init))
          throw new Error('the answer is lost')
        }
      },
      'is held'() {
        pair.wire = (url, init) => {
          const sent = new Request(url, init)
          if (url.endsWith('/track')) return pair.payee.answer(sent)
          held.push(() => void pair.payee.answer(sent))
          return Promise.reject(new Error('the call is on its way'))
        }
      },
    }
    const node: NodeUnderTest = {
      sender: () => sender,
      receiver: () => pair.payee,
      remoteKey: pair.payee.identity.publicKeyHex,
      invoice: (amountMsats, expirySeconds) =>
        createInvoice(
          { db: payeeDb(), node: pair.payee, events: NO_EVENTS, rates: { current: () => snapshotOf(rateOf) } },
          { username: user, wallet, amountMsats, expirySeconds },
        ),
      records: [{ type: USER_RECORD, value: Buffer.from(user).toString('hex') }],
      journey: (kind) => journeys[kind](),
      isHeld: () => held.length > 0,
      async release() {
        for (const go of held.splice(0)) go()
      },
      async arrivals(paymentHash) {
        const text = `select count(*)::int as count from lightning_node.receipts where payment_hash = $1 and state = 'received'`
        const [row] = await payeeDb().query<{ count: number }>({ name: 'test_arrivals', text }, [paymentHash])
        return row?.count ?? 0
      },
      async restartSender() {
        sender = pair.sibling(payerDb())
      },
      ownInvoice: (amountMsats) =>
        createInvoice(
          { db: payeeDb(), node: pair.payee, events: NO_EVENTS, rates: { current: () => snapshotOf(rateOf) } },
          { username: user, wallet, amountMsats },
        ),
      async payFromOutside({ invoice, paymentHash }, amountMsats) {
        const what = { kind: 'invoice', invoice } as const
        const payment = { ...(await paymentOf(pair)), paymentHash, amountMsats, what }
        return (await pair.payer.send(payment)).kind === 'succeeded'
      },
      async settleInside(paymentHash) {
        const [row] = await payeeDb().query<{ invoice: string }>(
          { name: 'test_own_invoice', text: 'select invoice from invoices where payment_hash = $1' },
          [paymentHash],
        )
        const wallets = await readWallets(payeeDb(), settler)
        const request = {
          username: settler,
          connectionId: null,
          wallets,
          invoice: row?.invoice ?? '',
          amountMsats: undefined,
        }
        await payInvoice({ ...vasp.app, db: payeeDb() }, request)
      },
    }
    return node
  })
})

describeOnBothEngines('The rules of a Lightning node', (db) => {
  describeLightningNode('hold for LND', async () => makeLndWorld(db()))
  describeRemoteNode('hold for a node in another process', () => makeLndWorld(db()))
})
