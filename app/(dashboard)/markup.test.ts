import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it, vi } from 'vitest'
import { Main } from '@/components/main'
import type { LiveEvent } from '@/lib/events/live-event'
import { WORDS } from '@/lib/sandbox/wire/reference'
import { liveEvent } from '@/test/vasp/live-event'
import { FaultsSection } from '../sandbox/slots/faults-section'
import { WireList } from './developers/wire/wire-list'
import ErrorPage from './error'
import SendLoading from './wallets/send/loading'

vi.mock(import('next/navigation'), async (original) => ({
  ...(await original()),
  useRouter: (() => ({ refresh: () => undefined })) as never,
}))

const event = (id: number): LiveEvent =>
  liveEvent({
    id: String(id),
    recordedAt: '2026-01-01T14:05:07.000Z',
    name: 'GET /info',
    userId: null,
    connectionId: null,
  })

it.each([
  [1, 0],
  [200, 0],
  [201, 201],
  [1_000, 1_000],
])(
  'a list of %d events leaves out rows outside the window in %d rows, so that a picture of a short one is whole',
  (count, lazy) => {
    const initial = Array.from({ length: count }, (_, index) => event(index))
    const html = renderToStaticMarkup(
      createElement(WireList, {
        initial,
        filter: {},
        words: WORDS,
        receivers: {},
        isPart: false,
        isWhole: false,
        isLive: true,
      }),
    )
    expect(html.match(/<li/g)).toHaveLength(count)
    expect(html).toContain('dateTime="2026-01-01T14:05:07.000Z" title="2026-01-01 14:05:07 UTC">14:05:07</time>')
    expect(html.match(/ drawn-late/g) ?? []).toHaveLength(lazy)
  },
)

it('the choice of a fault, and a fault, say what happens to the call', () => {
  const [now, words] = [new Date(0), ['Fail at once: nothing is done', 'Do it, then lose the answer']]
  const show = (stages: readonly ('before' | 'after')[]): string =>
    renderToStaticMarkup(
      createElement(FaultsSection, {
        connectionId: 'one',
        connectionName: 'A shop',
        faults: stages.map((stage, index) => ({
          id: String(index),
          connectionId: 'one',
          kind: 'INTERNAL' as const,
          stage,
          seconds: null,
          callsLeft: 1,
          expiresAt: new Date(60_000),
        })),
        quotes: [],
        now,
        asksToExpire: false,
        typed: { kind: undefined, when: undefined, calls: undefined, minutes: undefined, seconds: undefined },
        errors: {},
      }),
    )
  const choice = /<select[^>]*name="when".*?<\/select>/.exec(show([]))?.[0] ?? ''
  expect(
    Array.from(choice.matchAll(/<option value="(\w+)"[^>]*>([^<]+)/g), ([, value, text]) => [value, text]),
  ).toEqual([
    ['before', words[0]],
    ['after', words[1]],
  ])
  const labels = show(['after', 'before']).matchAll(/<p class="label">((?:Fail|Do)[^<]+)/g)
  expect(Array.from(labels, ([, text]) => text)).toEqual(words.toReversed())
})

it('a page that fails shows the error in the page’s place, without a second main element, and the number in the log', () => {
  const error = Object.assign(new Error('a secret of the server'), { digest: '4711' })
  const page = createElement(ErrorPage, { error, reset: () => undefined })
  const html = renderToStaticMarkup(createElement(Main, null, page))
  expect(html.match(/<main/g)).toHaveLength(1)
  for (const part of ['<h1>Something went wrong on our side</h1>', '<code>4711</code>', 'Try again</button>'])
    expect(html).toContain(part)
  expect(html).not.toContain('a secret')
})

it('Send announces that it waits for the other VASP', () => {
  const html = renderToStaticMarkup(createElement(SendLoading))
  expect(html).toContain('<h1>Send</h1>')
  expect(html).toMatch(/<output[^>]*>Looking up the recipient …<\/output>/)
})
