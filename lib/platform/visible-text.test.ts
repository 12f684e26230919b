import { describe, expect, it } from 'vitest'
import { isVisibleLine, visibleLines, visibleText, withHiddenEscaped } from './visible-text'

describe('a text of another party', () => {
  it.each([
    null,
    undefined,
    '',
    ' ',
    '\t\n',
    '\u00a0\u2003',
    '\u200b\u2060',
    '\u2800',
    '\u3164',
    '\ufe0f',
    '\u200d',
    '\0\u202e',
    '\ud83d',
  ])('of which nothing is visible is absent: %j', (text) => expect(visibleText(text)).toBeUndefined())

  const whole = [
    'x',
    '-',
    '☕',
    '謝謝',
    'قهوة ٥',
    'می\u200cخواهم',
    'क्\u200dष',
    '👩🏽\u200d🚀',
    '❤\ufe0f\u200d🔥',
    '🏳\ufe0f\u200d🌈',
    'zurück  é e\u0301',
    '\u0600١',
  ]
  it.each(whole)('is shown as it is: %j', (text) => {
    expect(visibleText(text)).toBe(text.replace('  ', ' '))
    expect(isVisibleLine(text)).toBe(true)
    expect(withHiddenEscaped(text)).toBe(text)
  })

  it.each([
    ['pay \u202eecila', 'pay ecila'],
    ['\u2066a\u2069 \u061cb\u200e', 'a b'],
    ['ten\u200b thou\u00adsand\u2060\ufeff', 'ten thousand'],
    ['pa\u200dy\u200cpal', 'paypal'],
    ['1\ufe0f0 a\ufe0f', '10 a'],
    ['x\u3164\u200dy', 'xy'],
    ['e\u0301\u200dx', 'e\u0301x'],
    ['☕\u200d\u200d\u200d!', '☕\u200d!'],
    ['sub\u{e0061}\u{e0062}ject', 'subject'],
    ['\ufff9a\ufffab\ufffb', 'ab'],
    ['two\r\nlines\u2028three\u0085four\0', 'two lines three four'],
    ['half \ud83d', 'half'],
  ])('%j is shown as %j', (text, shown) => {
    expect(visibleText(text)).toBe(shown)
    expect(isVisibleLine(text)).toBe(false)
  })

  it.each([
    ['a\nb', 'a\nb'],
    ['\n\u202ea\r\n\n b\u200b\t\n', 'a\n\nb'],
    ['\u200b\n', ''],
  ])('of several lines keeps them: %j', (text, shown) => expect(visibleLines(text)).toBe(shown))

  it('is written for developers with escapes that JSON reads as the same text', () => {
    const value = { memo: 'a\u202eb\u200bc\u{e0061}', smile: '👩🏽\u200d🚀' }
    const shown = withHiddenEscaped(JSON.stringify(value))
    expect(shown).toBe(String.raw`{"memo":"a\u202eb\u200bc\udb40\udc61","smile":"👩🏽‍🚀"}`)
    expect(JSON.parse(shown)).toEqual(value)
  })
})
