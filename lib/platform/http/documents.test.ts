import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { makeTextDocument } from './documents'

const TEXT = JSON.stringify({ openapi: '3.1.0', paths: {} })
const document = makeTextDocument(TEXT)
const ask = (headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
  document({ method, headers: new Headers(headers) })
const tag = ask().headers.ETag ?? ''

describe('a text document', () => {
  it('is readable from any origin, and caches ask for a newer version each time', () => {
    expect(ask()).toEqual({
      status: 200,
      headers: {
        'Access-Control-Allow-Origin': '*',
        'Cache-Control': 'no-cache',
        'Content-Type': 'application/json',
        ETag: expect.stringMatching(/^W\/"[\w-]{22}"$/) as string,
        Vary: 'Accept-Encoding',
        'X-Content-Type-Options': 'nosniff',
      },
      body: TEXT,
    })
    expect(ask({}, 'HEAD')).toEqual(ask())
  })

  it.each(['gzip', 'gzip, deflate, br', 'br;q=1.0, GZIP;q=0.5', 'gzip ; q=1'])('is compressed for %s', (accepted) => {
    const { headers, body } = ask({ 'Accept-Encoding': accepted })
    expect([headers['Content-Encoding'], headers.ETag]).toEqual(['gzip', tag])
    expect(gunzipSync(body).toString()).toBe(TEXT)
  })

  it.each(['', 'br', 'gzip;q=0', 'gzip; q=0.000', 'xgzip', 'gzip;q=x'])('is not compressed for “%s”', (accepted) => {
    const { headers, body } = ask({ 'Accept-Encoding': accepted })
    expect([headers['Content-Encoding'], body]).toEqual([undefined, TEXT])
  })

  it.each([tag, tag.slice(2), '*', `"x", ${tag}`])('is not sent to a client that has it: %s', (known) => {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, body } = ask({ 'If-None-Match': known, 'Accept-Encoding': 'gzip' }, method)
      expect([status, headers.ETag, headers['Access-Control-Allow-Origin'], body]).toEqual([304, tag, '*', ''])
      expect(headers).not.toHaveProperty('Content-Encoding')
    }
  })

  it.each([
    '"x"',
    tag.slice(0, -1),
    'W/""',
    makeTextDocument('{}')({ method: 'GET', headers: new Headers() }).headers.ETag,
  ])('is sent to a client that has another version: %s', (known = '') => {
    expect(ask({ 'If-None-Match': known }).status).toBe(200)
  })

  it('answers a preflight', () => {
    expect(ask({ 'If-None-Match': '*' }, 'OPTIONS')).toEqual({
      status: 204,
      headers: {
        'Access-Control-Allow-Origin': '*',
        'Access-Control-Allow-Methods': 'GET',
        'Access-Control-Allow-Headers': '*',
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff',
      },
      body: '',
    })
  })
})
