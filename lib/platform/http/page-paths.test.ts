import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isApiPath, isNodePath } from './paths'
import { isPagePath, methodsOf } from './page-paths'

/** The fixed paths of `app/`, with the file behind each. */
const routes = readdirSync('app', { recursive: true, encoding: 'utf8' })
  .filter((file) => /(^|\/)(page\.tsx|route\.ts)$/.test(file) && !file.includes('[...') && !file.includes('[[...'))
  .map((file) => ({
    path: `/${dirname(file).replaceAll(/\([a-z]+\)\/?/g, '')}`.replace(/\/\.?$/, '') || '/',
    source: readFileSync(join('app', file), 'utf8'),
    isPage: file.endsWith('page.tsx'),
  }))

describe('the paths of pages', () => {
  it('are those of the folder, each with the methods that its file has', () => {
    expect(routes.length).toBeGreaterThan(10)
    for (const { path, source, isPage } of routes) {
      expect(isPagePath(path), path).toBe(true)
      const takesPost = /export (const|async function) POST\b/.test(source)
      const wanted = takesPost ? ['POST'] : source.includes('otherMethod as HEAD') ? ['GET'] : ['GET', 'HEAD']
      expect(methodsOf(path), path).toEqual(wanted)
      expect(isPage && takesPost, path).toBe(false)
    }
  })

  it('include what a build and a sign-in need', () => {
    for (const path of ['/icon.svg', '/_next/static/chunks/04~a.b-c_d.js', '/api/auth/callback/credentials'])
      expect(isPagePath(path)).toBe(true)
    expect(methodsOf('/api/auth/callback/credentials')).toContain('POST')
  })
})

describe('what leads to the API', () => {
  it.each([
    '/umanwc',
    '/umanwc/v1/info',
    '/umanwc?x',
    '/umanwc#x',
    '/UMANWC/v1/info',
    '//umanwc/v1/info',
    '/%75manwc/v1/info',
    '/x/../umanwc/v1/info',
    '/./umanwc/v1/info',
    '/x/%2e%2e/umanwc/v1/info',
    '/x/.%2E/%75manwc/v1/info',
    '/x/..\\umanwc/v1/info',
    '/..//umanwc/v1/info',
  ])('is every spelling of it: %s', (url) => {
    expect(isApiPath(url)).toBe(true)
  })

  it.each(['/', '/umanwcx', '/x/umanwc', '/login?next=/umanwc/v1', '/%E0%A4%A'])('is nothing else: %s', (url) => {
    expect(isApiPath(url)).toBe(false)
  })
})

describe('what leads to the Lightning node', () => {
  it.each([
    '/sandbox-ln/v1/pay',
    '/sandbox-ln',
    '//SANDBOX-LN/v1/pay',
    '/%73andbox-ln/v1/pay?x',
    '/x/../sandbox-ln/v1/pay',
  ])('is every spelling of it: %s', (url) => {
    expect([isNodePath(url), isApiPath(url)]).toEqual([true, false])
  })

  it.each(['/', '/sandbox-lnx', '/x/sandbox-ln', '/umanwc/v1/info', '/login?next=/sandbox-ln/v1/pay'])(
    'is nothing else: %s',
    (url) => {
      expect(isNodePath(url)).toBe(false)
    },
  )
})
