import { describe, expect, it } from 'vitest'
import { isRegistered, redirectProblem } from './redirect-uri'

describe('a redirect URI is compared with the registered ones', () => {
  it.each([
    ['http://127.0.0.1/cb', 'http://127.0.0.1:53219/cb'],
    ['http://127.0.0.1:80/cb', 'http://127.0.0.1/cb'],
    ['http://127.0.0.1:1/cb?x=1', 'http://127.0.0.1:65535/cb?x=1'],
    ['http://[::1]/cb', 'http://[::1]:8123/cb'],
    ['http://127.0.0.1', 'http://127.0.0.1:99'],
    ['http://localhost:3200/cb', 'http://localhost:3200/cb'],
    ['com.example.shop://callback', 'com.example.shop://callback'],
  ])('%s accepts %s: the port of a loopback address is free', (registered, used) => {
    expect(isRegistered(used, ['https://other.example/', registered])).toBe(true)
  })

  it.each([
    ['http://localhost/cb', 'http://localhost:53219/cb'],
    ['https://127.0.0.1/cb', 'https://127.0.0.1:53219/cb'],
    ['http://127.0.0.1/cb', 'http://[::1]/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1.evil.example/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:1@evil.example/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:5321/CB'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:5321/cb/'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:5321/cb?x'],
    ['http://127.0.0.1/cb', 'http://127.1/cb'],
    ['https://shop.example/cb', 'https://shop.example/CB'],
    ['https://shop.example/cb', 'https://shop.example/x/../cb'],
    ['https://shop.example/cb', 'https://shop.example/%63b'],
    ['https://shop.example/cb', 'https://shop.example:8443/cb'],
    ['https://shop.example/cb', 'https://shop.example/cb#'],
    ['https://shop.example/cb?a=1', 'https://shop.example/cb?a=2'],
  ])('%s refuses %s: any other spelling is another address', (registered, used) => {
    expect(isRegistered(used, [registered])).toBe(false)
  })
})

describe('a redirect URI', () => {
  it.each([
    'https://shop.example/cb?x=a@b',
    'http://localhost/cb',
    'http://127.0.0.1:53219/cb',
    'http://[::1]:53219/cb',
    'http://shop.local/cb',
    'com.example.shop:cb',
    'com.example.shop:/cb',
    'org.my-shop.app2://cb',
    'COM.Example:/cb',
  ])('is accepted: %s', (uri) => {
    expect(redirectProblem(uri)).toBeUndefined()
  })

  it.each([
    ['https://shop.example/cb#x', 'fragment'],
    ['https://shop.example/cb#', 'fragment'],
    ['com.example://callback#x', 'fragment'],
    ['https://user@shop.example/cb', 'user info'],
    ['https://user:secret@shop.example/cb', 'user info'],
    ['https://@shop.example/cb', 'user info'],
    ['com.example://user@callback', 'user info'],
    ['https://shop.example/c\tb', 'not an address'],
    ['https://shop.example\\@evil.example/cb', 'not an address'],
    ['https:shop.example/cb', 'not an address'],
    ['https:///shop.example/cb', 'not an address'],
    ['http://shop.example/cb', 'use https'],
    ['myshop://callback', 'reverse order'],
    ['MyShop:/cb', 'reverse order'],
    ['shop.:/cb', 'reverse order'],
    ['a..b:/cb', 'reverse order'],
    ...[
      'javascript',
      'vbscript',
      'file',
      'about',
      'data',
      'blob',
      'view-source',
      'wss',
      'ftp',
      'mailto',
      'tel',
      'sms',
      'intent',
      'android-app',
      'steam',
    ]
      .concat('chrome-extension', 'ms-word', 'x-apple', 'web+pay', 'market', 'itms-apps', 'ssh', 'ldap', 'search-ms')
      .map((scheme) => [`${scheme}:x`, 'reverse order']),
    ['https://a;sandbox/x', 'host is not valid'],
    ['shop', 'not an address'],
  ])('is refused with the true reason: %s, %s', (uri, reason) => {
    expect(redirectProblem(uri)).toContain(reason)
  })
})
