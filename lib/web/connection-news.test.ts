import { describe, expect, it } from 'vitest'
import { connectionNews, type NewConnection } from './connection-news'

const NOW_MS = Date.UTC(2026, 10, 21, 8, 0, 0)
const fresh = (minutesAgo: number, name: string, appHost: string | null = name): NewConnection => ({
  id: `${name}-${minutesAgo}`,
  name,
  appHost,
  createdAt: new Date(NOW_MS - minutesAgo * 60_000).toISOString(),
})

describe('the notice of new connections', () => {
  it('is one line with the app and the time', () => {
    expect(connectionNews([fresh(2, 'shop.example')], NOW_MS)).toBe('shop.example, 2 minutes ago. Was this you?')
    expect(connectionNews([fresh(0, 'Connection of 21 November 2026, 08:00 UTC', null)], NOW_MS)).toBe(
      'Connection of 21 November 2026, 08:00 UTC, just now. Was this you?',
    )
  })

  it('names the app that requested the connection, whatever the label is', () => {
    expect(connectionNews([fresh(1, 'My bank', 'evil.example')], NOW_MS)).toBe(
      'My bank, requested by evil.example, 1 minute ago. Was this you?',
    )
  })

  it('stays one line for several connections, with their number and the latest one', () => {
    const many = [fresh(1, 'a.example'), fresh(3, 'b.example'), fresh(9, 'c.example')]
    expect(connectionNews(many, NOW_MS)).toBe('3 connections, the latest 1 minute ago: a.example. Were these you?')
    const most = Array.from({ length: 20 }, () => fresh(4, 'a.example'))
    expect(connectionNews(most, NOW_MS)).toContain('20 connections or more')
  })
})
