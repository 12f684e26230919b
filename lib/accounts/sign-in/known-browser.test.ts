import { expect, it } from 'vitest'
import { loadSettings } from '../../platform/config'
import { randomIds } from '../../platform/ids'
import { KNOWN_BROWSER_SECONDS, knownBrowserCookie, readKnownBrowser } from './known-browser'

const NOW_MS = Date.UTC(2026, 10, 23)
const at = (seconds: number, env: Readonly<Record<string, string>> = {}) => ({
  settings: loadSettings({ NEXTAUTH_SECRET: 'a secret of thirty-two characters', ...env }),
  clock: { now: () => new Date(NOW_MS + seconds * 1_000) },
  ids: randomIds,
})

it('remembers each user who signed in with the browser, under one id, the most recent first', async () => {
  const first = await readKnownBrowser(at(0), await knownBrowserCookie(at(0), undefined, 'alice'))
  expect(first?.usernames).toEqual(['alice'])
  const second = await readKnownBrowser(at(0), await knownBrowserCookie(at(0), first, 'bob'))
  expect(second).toEqual({ id: first?.id, usernames: ['bob', 'alice'] })
  const again = await readKnownBrowser(at(0), await knownBrowserCookie(at(0), second, 'alice'))
  expect(again?.usernames).toEqual(['alice', 'bob'])
})

it('gives each browser its own id and remembers eight of its users', async () => {
  const one = await readKnownBrowser(at(0), await knownBrowserCookie(at(0), undefined, 'alice'))
  let browser = await readKnownBrowser(at(0), await knownBrowserCookie(at(0), undefined, 'alice'))
  expect(browser?.id).not.toBe(one?.id)
  for (let count = 0; count < 20; count++)
    browser = await readKnownBrowser(at(0), await knownBrowserCookie(at(0), browser, `user-${count}`))
  expect(browser?.usernames).toHaveLength(8)
  expect((await knownBrowserCookie(at(0), browser, 'a'.repeat(63))).length).toBeLessThan(2_000)
})

it('forgets a browser half a year after its last sign-in', async () => {
  const cookie = await knownBrowserCookie(at(0), undefined, 'alice')
  expect(await readKnownBrowser(at(KNOWN_BROWSER_SECONDS - 1), cookie)).toBeDefined()
  expect(await readKnownBrowser(at(KNOWN_BROWSER_SECONDS), cookie)).toBeUndefined()
})

it.each([
  ['another secret', { NEXTAUTH_SECRET: 'another secret of thirty-two characters' }],
  ['another instance', { VASP_NAME: 'Southbank' }],
  ['another domain', { VASP_DOMAIN: 'localhost:3001' }],
])('ignores a cookie issued under %s', async (_whose, env) => {
  const cookie = await knownBrowserCookie(at(0, env), undefined, 'alice')
  expect(await readKnownBrowser(at(0, env), cookie)).toBeDefined()
  expect(await readKnownBrowser(at(0), cookie)).toBeUndefined()
})

it('ignores a value that is not a known-browser cookie', async () => {
  for (const cookie of [undefined, '', 'alice', 'eyJhbGciOiJub25lIn0.eyJ1c2VycyI6WyJhbGljZSJdfQ.'])
    expect(await readKnownBrowser(at(0), cookie)).toBeUndefined()
})
