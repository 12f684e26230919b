import { renderToStaticMarkup } from 'react-dom/server'
import { afterAll, beforeAll, describe, expect, it, test, vi } from 'vitest'
import { currencyOf } from '@/lib/money/currencies'
import { processSingletons } from '@/lib/platform/process-singletons'
import { commaErrors } from '@/lib/web/amount-errors'
import { readFormError } from '@/lib/web/form-errors'
import { describeOnBothEngines } from '@/test/databases/databases'
import { json, lookUpAnswer, newInvoice } from '@/test/uma/other-vasp'
import { startPayableVasp, type PayableVasp } from '@/test/uma/payable-vasp'
import { newUser } from '@/test/vasp/money'
import { pageSession } from '@/test/vasp/page-user'
import { walletErrors } from './[code]/errors'
import { POST as convert } from './convert/price/route'
import { POST as faucet } from './faucet/route'
import { POST as receive } from './receive/make/route'
import { POST as request } from './receive/uma/route'
import { POST as confirm } from './send/confirm/route'
import { POST as quote } from './send/quote/route'
import { ToAddress } from './send/to-address'

let username = ''
let sealed: string | undefined
vi.mock(import('@/lib/accounts/sessions/current-user'), async (original) => ({
  ...(await original()),
  sessionOfRequest: async () => pageSession(username),
}))
vi.mock(import('next/headers'), async (original) => ({
  ...(await original()),
  headers: async () => new Headers(sealed === undefined ? {} : { 'x-shown-once': sealed }),
}))

describeOnBothEngines('A form for an amount', (db) => {
  let payable: PayableVasp
  let receiver = ''
  beforeAll(async () => {
    payable = await startPayableVasp(db())
    username = await newUser(payable.vasp, { USD: 1_000_000n, KWD: 90_000_000n, SAT: 900_000_000n })
    processSingletons().set('application', payable.vasp.app)
    receiver = payable.receiver.slice(1)
    const { callback, metadata } = lookUpAnswer(payable.other, payable.receiver)
    payable.other.answers.lookUp = (_request, response) =>
      json(response, { tag: 'payRequest', callback, minSendable: 1_000, maxSendable: 10 ** 12, metadata })
    payable.other.answers.pay = (asked, response) => {
      const amount = new URL(asked.url ?? '', 'http://x').searchParams.get('amount') ?? '0'
      return json(response, { pr: newInvoice({ amountMsats: BigInt(amount) }), routes: [] })
    }
  })
  afterAll(() => payable.other.stop())

  const send = async (
    route: typeof convert,
    fields: Readonly<Record<string, string>>,
  ): Promise<{ query: URLSearchParams; path: string; cookie: string | null }> => {
    const answer = await route(
      new Request('http://localhost:3000/wallets', {
        method: 'POST',
        headers: { Origin: 'http://localhost:3000', 'Content-Type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ form_user: username, ...fields }),
      }),
    )
    const { pathname, searchParams } = new URL(answer.headers.get('location') ?? `/${answer.status}`, 'http://x')
    return { path: pathname, query: searchParams, cookie: answer.headers.get('set-cookie') }
  }

  const FORMS = {
    'that converts': (code: string, amount: string) =>
      send(convert, { from: code, to: code === 'USD' ? 'KWD' : 'USD', amount }),
    'that creates an invoice': (code: string, amount: string) => send(receive, { currency: code, amount }),
    'that creates a UMA invoice': (code: string, amount: string) =>
      send(request, { 'uma-currency': code, 'uma-amount': amount }),
    'that requests a quote': (code: string, amount: string) =>
      send(quote, { invoice: receiver, side: 'sending', wallet: code, currency: 'SAT', amount }),
  }

  describe.each(Object.entries(FORMS))('%s', (_which, post) => {
    it.each([
      ['2,345', '2,345 can mean 2345 or 2.345. Type one of these.'],
      [' 12,500 ', '12,500 can mean 12500 or 12.500. Type one of these.'],
      ['7,5', 'Use a point for decimals.'],
      ['1.234,500', 'Use a point for decimals.'],
    ])('refuses %j in a currency with three decimals beside its field', async (typed, text) => {
      const { query } = await post('KWD', typed)
      const [field, reason] = (query.get('error') ?? '').split('.')
      expect(field).toMatch(/^(?:uma-)?amount$/)
      // The page reads the typed text from its address.
      expect(commaErrors(field ?? '', query.get(field ?? '') ?? undefined, '')[`${field}.${reason}`]).toBe(text)
    })

    it.each([
      ['USD', '1,500'],
      ['USD', ' 1,240.50 '],
      ['KWD', '2,345.678'],
    ])('takes %s %j, whose comma groups three digits', async (code, typed) => {
      const { path, query } = await post(code, typed)
      // The quote has an amount that no route carries, which is another error.
      expect(query.get('error') ?? '').not.toContain('amount')
      expect(path).not.toMatch(/^\/[45]/)
    })

    it.each(['', '  ', '\t'])('treats the blank text %j as no amount', async (typed) => {
      const [blank, absent] = [await post('USD', typed), await post('USD', '')]
      expect(blank.query.get('error')).toBe(absent.query.get('error'))
      expect(blank.path.replace(/[0-9a-f-]{36,}/, '')).toBe(absent.path.replace(/[0-9a-f-]{36,}/, ''))
    })
  })

  test('that adds test money, sent again for another wallet, says so', async () => {
    const fields = { currency: 'SAT', request_id: '3f1c2a57-0d0e-4b1b-9d7e-2f4f6a1b9c11' }
    username = await newUser(payable.vasp, { USD: 1n, SAT: 1n })
    expect((await send(faucet, fields)).query.get('done')).toBe('faucet')
    const { path, query } = await send(faucet, { ...fields, currency: 'USD' })
    expect([path, query.get('error')]).toEqual(['/wallets/USD', 'sent-before'])
    expect(readFormError(walletErrors(currencyOf('USD')), 'sent-before').form).toMatch(/already sent/)
  })

  test('that pays an invoice without an amount takes grouped satoshis only', async () => {
    const invoice = newInvoice({})
    const pay = (amount: string): ReturnType<typeof send> =>
      send(confirm, { invoice, amount, wallet: 'USD', debit: '1' })
    expect((await pay('12,5')).query.get('error')).toBe('amount.invalid')
    expect((await pay('1,5000')).query.get('error')).toBe('amount.invalid')
    expect((await pay('1,500')).query.get('error')).not.toMatch(/^amount/)
  })

  describe('shows the answer of an LNURL receiver that refuses the amount', () => {
    const pageAfter = async (reason: unknown): Promise<{ html: string; address: string }> => {
      const { pay } = payable.other.answers
      payable.other.answers.pay = (_request, response) => json(response, { status: 'ERROR', reason })
      try {
        const { query, cookie } = await FORMS['that requests a quote']('USD', '1.00')
        sealed = /=([^;]+);/.exec(cookie ?? '')?.[1]
        const typed = Object.fromEntries(query)
        const page = await ToAddress({ username, pasted: receiver, typed })
        return { html: renderToStaticMarkup(page), address: String(query) }
      } finally {
        payable.other.answers.pay = pay
      }
    }

    it('next to the field, quoted and attributed, and not from the address', async () => {
      const { html, address } = await pageAfter('Shop opens at <b>9</b>:\n at most\u202e 500 sat')
      const at = /id="amount-error"[^>]*>([^<]*)</.exec(html)?.[1]
      expect(at).toContain('The recipient’s provider refused this payment. Nothing was paid.')
      expect(at).toContain(`${payable.other.domain} answered: “Shop opens at &lt;b&gt;9&lt;/b&gt;: at most 500 sat”`)
      expect(html).toMatch(/id="amount"[^>]+aria-describedby="amount-error/)
      expect(decodeURIComponent(address)).not.toContain('opens')
      sealed = undefined
      const typed = Object.fromEntries(new URLSearchParams(address))
      const later = renderToStaticMarkup(await ToAddress({ username, pasted: receiver, typed }))
      expect(later).toContain('The recipient’s provider refused this payment.')
      expect(later).not.toContain('answered')
    })

    it.each([
      ['long', 'x y '.repeat(900), /answered: “(?:x y ){1,60}(?:x )?…”/],
      ['with a key in it', `key ${'a1'.repeat(32)} end`, /answered: “key … end”/],
    ])('bounded and masked: a text %s', async (_which, reason, shown) => {
      expect((await pageAfter(reason)).html).toMatch(shown)
    })

    it('without our quotation marks, which would let it speak for us', async () => {
      const { html } = await pageAfter('no” Nothing is wrong. “yes')
      expect(html).toContain('answered: “no&quot; Nothing is wrong. &quot;yes”')
    })

    it.each([['see https://evil.example/x'], [''], [' \n'], ['\u200b'], ['lnbcrt'.repeat(20)], [null], [{ a: 1 }]])(
      'only where the answer is a plain text: %j is left out',
      async (reason) => {
        const { html } = await pageAfter(reason)
        expect(html).toContain('The recipient’s provider refused this payment.')
        expect(html).not.toContain('answered')
      },
    )

    it('to its user and page only', async () => {
      await pageAfter('Closed today')
      const typed = { error: 'amount.their-refused' }
      const mine = username
      username = await newUser(payable.vasp, { USD: 1n })
      const others = renderToStaticMarkup(await ToAddress({ username, pasted: receiver, typed }))
      username = mine
      expect(others).not.toContain('Closed today')
    })
  })
})
