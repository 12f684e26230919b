import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { LiveEvent } from '@/lib/events/live-event'
import { openLiveEvents } from './live-events-connection'

/** The server: every event so far, and the open streams. */
let events: LiveEvent[]
let streams: FakeEventSource[]
let close: (() => void)[]

class FakeEventSource extends EventTarget {
  readonly after: bigint
  constructor(url: string) {
    super()
    this.after = BigInt(new URL(url, 'http://localhost').searchParams.get('after') ?? '')
    streams.push(this)
    setTimeout(() => {
      for (const event of events) if (BigInt(event.id) > this.after) this.send(event)
    })
  }
  send(event: LiveEvent): void {
    if (streams.includes(this)) this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(event) }))
  }
  close(): void {
    streams = streams.filter((each) => each !== this)
  }
}

/** One lock: the callers hold it one after another. */
function fakeLocks(): Pick<LockManager, 'request'> {
  let last: Promise<unknown> = Promise.resolve()
  return {
    request: (_name: string, { signal }: LockOptions, hold: () => Promise<void>) => {
      const held = last.then(() => {
        signal?.throwIfAborted()
        return hold()
      })
      last = held.catch(() => undefined)
      return held
    },
  } as Pick<LockManager, 'request'>
}

class FakeDocument extends EventTarget {
  visibilityState = 'visible'
  show(state: 'visible' | 'hidden'): void {
    this.visibilityState = state
    this.dispatchEvent(new Event('visibilitychange'))
  }
}
let document: FakeDocument

beforeEach(() => {
  events = []
  streams = []
  close = []
  document = new FakeDocument()
  vi.stubGlobal('EventSource', FakeEventSource)
  vi.stubGlobal('navigator', { locks: fakeLocks() })
  vi.stubGlobal('document', document)
})
afterEach(() => {
  for (const each of close) each()
  vi.unstubAllGlobals()
})

/** Opens a tab. @returns the ids that its page receives. */
function openTab(pageHasUpTo: number): number[] {
  const received: number[] = []
  close.push(openLiveEvents('alice', `${pageHasUpTo}`, ({ id }) => void received.push(Number(id))))
  return received
}

function happen(...ids: number[]): void {
  for (const id of ids) {
    const event = { id: `${id}` } as LiveEvent
    events.push(event)
    for (const stream of streams) stream.send(event)
  }
}

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

/** Until every message between the tabs has arrived. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve, 5))
}

it('passes each event once to both tabs over one stream', async () => {
  const first = openTab(0)
  const second = openTab(0)
  await settled()
  happen(1, 2, 3)
  await settled()
  expect([first, second]).toEqual([
    [1, 2, 3],
    [1, 2, 3],
  ])
  expect(streams).toHaveLength(1)
})

it('passes a tab that opens late only events that its page does not have, and no event twice to the other tabs', async () => {
  const first = openTab(0)
  await settled()
  happen(1, 2, 3)
  const late = openTab(2)
  await settled()
  const later = openTab(1)
  await settled()
  happen(4)
  await settled()
  expect([first, late, later]).toEqual([
    [1, 2, 3, 4],
    [3, 4],
    [2, 3, 4],
  ])
})

it('opens the stream again for a tab that needs older events than the holder has, and repeats nothing to the holder', async () => {
  happen(1, 2, 3)
  const holder = openTab(3)
  await settled()
  happen(4)
  const older = openTab(1)
  await settled()
  happen(5)
  await settled()
  expect([holder, older]).toEqual([
    [4, 5],
    [2, 3, 4, 5],
  ])
  expect(streams.map(({ after }) => after)).toEqual([1n])
})

it('passes nothing twice after more events than a tab keeps', async () => {
  const holder = openTab(0)
  await settled()
  happen(...range(1, 1_500))
  const late = openTab(100)
  await settled()
  expect(holder).toEqual(range(1, 1_500))
  expect(late).toEqual(range(101, 1_500))
})

it('answers a tab that opens while the stream is lost', async () => {
  happen(1, 2)
  const holder = openTab(2)
  await settled()
  for (const stream of streams) stream.dispatchEvent(new Event('error'))
  expect(streams).toEqual([])
  const late = openTab(0)
  await settled()
  expect([holder, late]).toEqual([[], [1, 2]])
})

it('loses and repeats nothing when the tab with the stream closes', async () => {
  openTab(0)
  const second = openTab(0)
  await settled()
  happen(1)
  close.shift()?.()
  happen(2)
  await settled()
  happen(3)
  await settled()
  expect(second).toEqual([1, 2, 3])
  expect(streams).toHaveLength(1)
})

it('has no stream while every tab is hidden, and then receives what happened', async () => {
  const first = openTab(0)
  const second = openTab(0)
  await settled()
  document.show('hidden')
  await settled()
  expect(streams).toEqual([])
  happen(1, 2)
  document.show('visible')
  await settled()
  expect(streams).toHaveLength(1)
  expect([first, second]).toEqual([
    [1, 2],
    [1, 2],
  ])
})
